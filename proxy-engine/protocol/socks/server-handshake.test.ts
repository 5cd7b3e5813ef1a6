import { describe, expect, test } from 'vitest';
import { SocksServerHandshake, socksReply, type CheckPassword } from './server-handshake.ts';

/** Plays bytes in pieces; what was sent and what came of it, as lines. */
function play(pieces: readonly Buffer[], check: CheckPassword | null = null): string[] {
  const lines: string[] = [];
  const handshake = new SocksServerHandshake(check);
  for (const piece of pieces) {
    handshake.receive(piece, {
      send: (bytes) => lines.push(`send ${bytes.toString('hex')}`),
      onRequest: ({ version, command, host, port }) =>
        lines.push(`${command} by ${String(version)} to ${host} ${String(port)}`),
      onRefused: ({ code }) => lines.push(`refused ${code}`),
    });
  }
  if (handshake.rest.length > 0 && handshake.phase === 'done') lines.push(`rest ${handshake.rest.toString('latin1')}`);
  return lines;
}

/** Whole, byte by byte and at every split: the same each time. */
function playAllWays(hex: string, check: CheckPassword | null = null): string[] {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  const whole = play([bytes], check);
  expect(
    play(
      Array.from(bytes, (byte) => Buffer.from([byte])),
      check,
    ),
  ).toEqual(whole);
  for (let at = 1; at < bytes.length; at += 1) {
    expect(play([bytes.subarray(0, at), bytes.subarray(at)], check)).toEqual(whole);
  }
  return whole;
}

const text = (value: string): string => Buffer.from(value).toString('hex');
const OPEN = '05 01 00';

describe('SOCKS5', () => {
  test.each([
    ['a name', `03 0b ${text('Example.COM')} 01bb`, 'connect by 5 to example.com 443'],
    ['a name in other letters', `03 0c ${text('bücher.test')} 0050`, 'connect by 5 to xn--bcher-kva.test 80'],
    ['an IPv4 address', '01 c0000201 0050', 'connect by 5 to 192.0.2.1 80'],
    ['an IPv6 address', '04 20010db8000000000000000000000001 1f90', 'connect by 5 to 2001:db8::1 8080'],
    ['an address written as a name', `03 03 ${text('::1')} 0050`, 'connect by 5 to ::1 80'],
  ])('connects to %s', (_what, address, outcome) => {
    expect(playAllWays(`${OPEN} 05 01 00 ${address}`)).toEqual(['send 0500', outcome]);
  });

  test('leaves what follows the request to the tunnel', () => {
    expect(play([Buffer.from(`0501000501000101020304005047455420`, 'hex')])).toEqual([
      'send 0500',
      'connect by 5 to 1.2.3.4 80',
      'rest GET ',
    ]);
  });

  test('associates UDP from an unknown port', () => {
    expect(playAllWays(`${OPEN} 05 03 00 01 00000000 0000`)).toEqual(['send 0500', 'udp-associate by 5 to 0.0.0.0 0']);
  });

  test.each([
    ['BIND', '02 00 01 01020304 0050', 'send 05070001000000000000', 'refused socks.command'],
    ['an unknown command', '09 00 01 01020304 0050', 'send 05070001000000000000', 'refused socks.command'],
    ['an unknown address type', '01 00 02', 'send 05080001000000000000', 'refused socks.address-type'],
    ['port 0', '01 00 01 01020304 0000', 'send 05010001000000000000', 'refused socks.malformed'],
    ['an empty name', '01 00 03 00 0050', 'send 05010001000000000000', 'refused socks.malformed'],
    [
      'a name with a line end',
      `01 00 03 03 ${text('a\nb')} 0050`,
      'send 05010001000000000000',
      'refused socks.malformed',
    ],
  ])('answers %s with the reply that means it', (_what, request, reply, outcome) => {
    expect(playAllWays(`${OPEN} 05 ${request}`)).toEqual(['send 0500', reply, outcome]);
  });

  test('takes no method where none is known', () => {
    expect(playAllWays('05 01 01')).toEqual(['send 05ff', 'refused socks.malformed']);
  });

  test('lets a client say a password where none is asked for', () => {
    expect(playAllWays(`05 01 02 01 01 61 01 62 ${'05 01 00 01 01020304 0050'}`)).toEqual([
      'send 0502',
      'send 0100',
      'connect by 5 to 1.2.3.4 80',
    ]);
  });
});

describe('SOCKS5 with a password', () => {
  const check: CheckPassword = (user, password) => user === 'ada' && password === 'pw';

  test('lets in who knows it', () => {
    expect(playAllWays(`05 02 00 02 01 03 ${text('ada')} 02 ${text('pw')} 05 01 00 01 01020304 0050`, check)).toEqual([
      'send 0502',
      'send 0100',
      'connect by 5 to 1.2.3.4 80',
    ]);
  });

  test('turns away who does not', () => {
    expect(playAllWays(`05 01 02 01 03 ${text('ada')} 02 ${text('no')}`, check)).toEqual([
      'send 0502',
      'send 0101',
      'refused client.credentials',
    ]);
    expect(playAllWays('05 01 00', check)).toEqual(['send 05ff', 'refused client.credentials']);
    expect(playAllWays('04 01 0050 01020304 00', check)).toEqual([
      'send 005b000000000000',
      'refused client.credentials',
    ]);
  });
});

describe('SOCKS4 and 4a', () => {
  test('connect to an address, whatever the identity says', () => {
    expect(playAllWays(`04 01 0050 01020304 ${text('root')} 00`)).toEqual(['connect by 4 to 1.2.3.4 80']);
  });

  test('connect to a name', () => {
    expect(playAllWays(`04 01 01bb 00000001 00 ${text('Example.com')} 00`)).toEqual([
      'connect by 4 to example.com 443',
    ]);
  });

  test('take 0.0.0.0 for an address', () => {
    expect(playAllWays('04 01 0050 00000000 00')).toEqual(['connect by 4 to 0.0.0.0 80']);
  });

  test('refuse BIND', () => {
    expect(playAllWays('04 02 0050 01020304 00')).toEqual(['send 005b000000000000', 'refused socks.command']);
  });

  test('hold no identity and no name without an end', () => {
    const endless = Buffer.alloc(300, 0x61);
    const head = Buffer.from('0401005001020304', 'hex');
    expect(play([Buffer.concat([head, endless])])).toEqual(['send 005b000000000000', 'refused socks.malformed']);
    const named = Buffer.from('040100500000000100', 'hex');
    expect(play([Buffer.concat([named, endless])])).toEqual(['send 005b000000000000', 'refused socks.malformed']);
  });
});

test('replies say where our side stands', () => {
  expect(socksReply(5, 'granted', { host: '192.0.2.7', port: 80 }).toString('hex')).toBe('05000001c00002070050');
  expect(socksReply(5, 'refused', { host: '::1', port: 1 }).toString('hex')).toBe(
    '05050004000000000000000000000000000000010001',
  );
  expect(socksReply(4, 'granted', { host: '192.0.2.7', port: 80 }).toString('hex')).toBe('005a0050c0000207');
});
