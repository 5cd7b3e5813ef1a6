import { describe, expect, test } from 'vitest';
import { SocksClientHandshake } from './client-handshake.ts';
import { SocksServerHandshake, socksReply } from './server-handshake.ts';

const ADA = { user: 'ada', password: 'pw' };

/** What a server's bytes lead to, in pieces. */
function play(handshake: SocksClientHandshake, pieces: readonly Buffer[]): string[] {
  return pieces.flatMap((piece) => {
    const step = handshake.receive(piece);
    switch (step.kind) {
      case 'incomplete':
        return [];
      case 'send':
        return [`send ${step.bytes.toString('hex')}`];
      case 'done':
        return [`done ${step.rest.toString('latin1')}`];
      case 'failed':
        return [`failed ${step.reason} ${String(step.outcome)}`];
    }
  });
}

describe('a client of SOCKS5', () => {
  test('leaves the name to the server, and what follows the reply to the tunnel', () => {
    const handshake = new SocksClientHandshake({ host: 'example.com', port: 443 }, null);
    expect(handshake.greeting().toString('hex')).toBe('050100');
    const reply = Buffer.concat([socksReply(5, 'granted'), Buffer.from('220 hi')]);
    expect(play(handshake, [Buffer.from([5]), Buffer.from([0]), reply.subarray(0, 3), reply.subarray(3)])).toEqual([
      `send 050100030b${Buffer.from('example.com').toString('hex')}01bb`,
      'done 220 hi',
    ]);
  });

  test('says its password when it is asked', () => {
    const handshake = new SocksClientHandshake({ host: '192.0.2.1', port: 80 }, ADA);
    expect(handshake.greeting().toString('hex')).toBe('05020002');
    expect(play(handshake, [Buffer.from('0502', 'hex'), Buffer.from('0100', 'hex')])).toEqual([
      'send 0103616461027077',
      'send 05010001c00002010050',
    ]);
  });

  test.each([
    ['another protocol', '4854', 'failed protocol null'],
    ['no method', '05ff', 'failed credentials null'],
    ['a password that it has not', '0502', 'failed credentials null'],
  ])('gives up at %s', (_what, bytes, outcome) => {
    const handshake = new SocksClientHandshake({ host: 'example.com', port: 443 }, null);
    expect(play(handshake, [Buffer.from(bytes, 'hex')])).toEqual([outcome]);
  });

  test.each([
    [1, 'failure'],
    [2, 'not-allowed'],
    [3, 'network-unreachable'],
    [4, 'host-unreachable'],
    [5, 'refused'],
    [6, 'expired'],
    [7, 'command-unsupported'],
    [8, 'address-unsupported'],
    [99, 'null'],
  ])('knows what reply %i means', (code, outcome) => {
    const handshake = new SocksClientHandshake({ host: 'example.com', port: 443 }, null);
    handshake.receive(Buffer.from('0500', 'hex'));
    expect(play(handshake, [Buffer.from([5, code])])).toEqual([`failed request ${outcome}`]);
  });

  test('and a server wired to each other agree, in pieces of one byte', () => {
    for (const host of ['example.com', '192.0.2.9', '2001:db8::7', 'xn--bcher-kva.test']) {
      const client = new SocksClientHandshake({ host, port: 8_443 }, ADA);
      const server = new SocksServerHandshake((user, password) => user === 'ada' && password === 'pw');
      const toServer: Buffer[] = [client.greeting()];
      let outcome = '';
      const sink = {
        send: (bytes: Buffer) => {
          for (const byte of bytes) {
            const step = client.receive(Buffer.from([byte]));
            if (step.kind === 'send') toServer.push(step.bytes);
            if (step.kind === 'done') outcome += ' done';
          }
        },
        onRequest: (request: { host: string; port: number }) => {
          outcome = `${request.host} ${String(request.port)}`;
          sink.send(socksReply(5, 'granted', { host: '::1', port: 2 }));
        },
        onRefused: ({ code }: { code: string }) => {
          outcome = code;
        },
      };
      for (let bytes = toServer.shift(); bytes !== undefined; bytes = toServer.shift()) {
        for (const byte of bytes) server.receive(Buffer.from([byte]), sink);
      }
      expect(outcome).toBe(`${host} 8443 done`);
    }
  });
});
