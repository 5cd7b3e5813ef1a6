import { describe, expect, test } from 'vitest';
import { readDatagram, writeDatagram } from '../../proxy-engine/protocol/socks/index.ts';
import { runCurl } from '../support/curl.ts';
import { Datagrams } from '../support/datagrams.ts';
import { originCertificate } from '../support/origin-certificates.ts';
import { type Wire, WireServer } from '../support/wire.ts';
import { codes, useStage } from './stage.ts';

const stage = useStage('socks');

const OPEN = '\x05\x01\x00';
const GRANTED5 = /^\x05\x00\x00\x01\x7f\x00\x00\x01[^]{2}$/;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

function port16(port: number): string {
  return String.fromCharCode(port >> 8, port & 0xff);
}

function byName(name: string, port: number): string {
  return `\x03${String.fromCharCode(name.length)}${name}${port16(port)}`;
}

/** Sends text in segments of one byte each. */
async function dribble(client: Wire, text: string): Promise<void> {
  for (const byte of text) {
    client.send(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The codes of the only row, noted beside what was seen. */
async function note(fromClient: string, atOrigin: string | null, fromOrigin: string | null, atClient: string) {
  const [row] = await stage.current.weir.rows.ended(1);
  const recorded = row === undefined ? [] : codes(row);
  const port = `localhost:${String(stage.current.origin.port)}`;
  const blank = (text: string): string => text.replaceAll(port, 'ORIGIN');
  const seen = atOrigin === null ? null : blank(atOrigin);
  stage.current.note({ fromClient: blank(fromClient), atOrigin: seen, fromOrigin, atClient, recorded });
  return { row, recorded };
}

describe('rule 43: SOCKS leads to where CONNECT does', () => {
  test.each([
    ['SOCKS5 by name', (port: number) => `\x05\x01\x00${byName('localhost', port)}`, OPEN, 10],
    ['SOCKS5 by address', (port: number) => `\x05\x01\x00\x01\x7f\x00\x00\x01${port16(port)}`, OPEN, 10],
    ['SOCKS4', (port: number) => `\x04\x01${port16(port)}\x7f\x00\x00\x01me\x00`, '', 8],
    ['SOCKS4a', (port: number) => `\x04\x01${port16(port)}\x00\x00\x00\x01\x00localhost\x00`, '', 8],
  ])('rule 43: %s, byte by byte; plain HTTP inside is an exchange', async (_name, request, greeting, replyBytes) => {
    const { port } = stage.current.origin;
    const client = await stage.current.connect('proxy');
    if (greeting !== '') {
      await dribble(client, greeting);
      expect((await client.bytes(2)).toString('latin1')).toBe('\x05\x00');
    }
    await dribble(client, request(port));
    const reply = (await client.bytes(replyBytes)).toString('latin1');
    expect(reply.slice(0, 2)).toBe(greeting === '' ? '\x00\x5a' : '\x05\x00');
    const get = `GET /inside HTTP/1.1\r\nHost: localhost:${String(port)}\r\n\r\n`;
    client.send(get);
    const server = await stage.current.origin.next();
    const atOrigin = await server.head();
    expect(atOrigin).toBe(get);
    server.send(OK);
    expect(await client.until('ok')).toBe(OK);
    client.end();
    const { row } = await note(`${greeting}${request(0)} ${get}`, atOrigin, OK, `${reply.slice(0, 2)}… ${OK}`);
    expect(row?.begin).toMatchObject({ kind: 'http', path: '/inside' });
    // One connection served to tell that the origin is there and to carry the exchange.
    expect(stage.current.origin.accepted).toBe(1);
  });

  test('rule 43: TLS inside is intercepted, over the connection that was made for the reply', async () => {
    const origin = await WireServer.listenTls(originCertificate('localhost'));
    try {
      const client = await stage.current.connect('proxy');
      client.send(OPEN);
      await client.bytes(2);
      client.send(`\x05\x01\x00${byName('localhost', origin.port)}`);
      expect((await client.bytes(10)).toString('latin1')).toMatch(GRANTED5);
      const secure = await client.secure({ ca: stage.current.weir.ca, servername: 'localhost' });
      const get = 'GET /secret HTTP/1.1\r\nHost: localhost\r\n\r\n';
      secure.send(get);
      const server = await origin.next();
      const atOrigin = await server.head();
      server.send(OK);
      await secure.until('ok');
      secure.end();
      const { row } = await note(`(SOCKS5, TLS) ${get}`, `(TLS) ${atOrigin}`, OK, OK);
      expect(row?.begin).toMatchObject({ kind: 'http', scheme: 'https', host: 'localhost', path: '/secret' });
    } finally {
      await origin.close();
    }
  });

  test('rule 43: a server that speaks first is heard at once, and other bytes are relayed', async () => {
    const client = await stage.current.connect('proxy');
    client.send(OPEN);
    await client.bytes(2);
    client.send(`\x05\x01\x00${byName('localhost', stage.current.origin.port)}`);
    const server = await stage.current.origin.next();
    server.send('220 ready\r\n');
    await client.bytes(10);
    expect(await client.until('\r\n')).toBe('220 ready\r\n');
    client.send('\x00raw');
    expect((await server.bytes(4)).toString('latin1')).toBe('\x00raw');
    server.end();
    client.end();
    const { row } = await note('(SOCKS5) \x00raw', '\x00raw', '220 ready\r\n', '220 ready\r\n');
    expect(row?.begin).toMatchObject({ kind: 'tunnel', scheme: 'tcp' });
  });

  test('rule 43: what came along with the request is not lost', async () => {
    const client = await stage.current.connect('proxy');
    const { port } = stage.current.origin;
    client.send(`\x04\x01${port16(port)}\x7f\x00\x00\x01\x00\x01early`);
    const server = await stage.current.origin.next();
    expect(await server.until('early')).toBe('\x01early');
    server.end();
    client.end();
    await note('(SOCKS4) \x01early', '\x01early', null, '\x00\x5a…');
  });
});

describe('rule 43: every reply means what happened', () => {
  test.each([
    ['refused', 'localhost', 'closed', 5, 'connect.refused'],
    ['a name that does not exist', 'nothing.invalid', 80, 4, 'dns.not-found'],
    ['our own listener', 'localhost', 'own', 2, 'loop.self'],
  ])('rule 43: %s', async (_name, host, where, code, recorded) => {
    const closed = await WireServer.listen();
    await closed.close();
    const port = where === 'closed' ? closed.port : where === 'own' ? stage.current.weir.port : Number(where);
    const client = await stage.current.connect('proxy');
    client.send(OPEN);
    await client.bytes(2);
    client.send(`\x05\x01\x00${byName(host, port)}`);
    const { text, ending } = await client.rest();
    expect([text.slice(0, 2), text.length, ending]).toEqual([`\x05${String.fromCharCode(code)}`, 10, 'end']);
    const noted = await note(`(SOCKS5, ${host})`, null, null, text);
    expect(noted.recorded).toEqual([recorded]);
    expect(noted.row?.begin).toMatchObject({ kind: 'tunnel', host, port });
  });

  test.each([
    ['BIND', '\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50', 7, 'socks.command'],
    ['an address type that nobody knows', '\x05\x01\x00\x09\x7f\x00\x00\x01\x00\x50', 8, 'socks.address-type'],
  ])('rule 43: %s', async (_name, request, code, recorded) => {
    const client = await stage.current.connect('proxy');
    client.send(OPEN);
    await client.bytes(2);
    client.send(request);
    const { text } = await client.rest();
    expect(text.slice(0, 2)).toBe(`\x05${String.fromCharCode(code)}`);
    expect((await note(request, null, null, text)).recorded).toEqual([recorded]);
  });

  test('rule 43: SOCKS4 says no in its only way', async () => {
    const closed = await WireServer.listen();
    await closed.close();
    const client = await stage.current.connect('proxy');
    const request = `\x04\x01${port16(closed.port)}\x7f\x00\x00\x01\x00`;
    client.send(request);
    const { text } = await client.rest();
    expect(text).toBe('\x00\x5b\x00\x00\x00\x00\x00\x00');
    expect((await note('(SOCKS4)', null, null, text)).recorded).toEqual(['connect.refused']);
  });

  test('rule 43: a client that goes while its origin is dialled is recorded, one that never asked is not', async () => {
    const silent = await stage.current.connect('proxy');
    silent.send(OPEN);
    await silent.bytes(2);
    silent.end();
    await silent.rest();
    stage.current.weir.engine.flushCapture();
    expect(stage.current.weir.rows.all).toEqual([]);
    stage.current.note({
      fromClient: `${OPEN} (FIN)`,
      atOrigin: null,
      fromOrigin: null,
      atClient: '\x05\x00',
      recorded: [],
    });
  });
});

describe('rule 43: user and password', () => {
  test.each([
    ['right', '\x03ada\x02pw', '\x01\x00', []],
    ['wrong', '\x03ada\x02no', '\x01\x01', ['client.credentials']],
  ])('rule 43: %s ones', async (_name, credentials, answer, recorded) => {
    stage.current.weir.configure({ proxyAuthentication: { user: 'ada', password: 'pw' } });
    const client = await stage.current.connect('proxy');
    client.send('\x05\x02\x00\x02');
    expect((await client.bytes(2)).toString('latin1')).toBe('\x05\x02');
    client.send(`\x01${credentials}`);
    expect((await client.bytes(2)).toString('latin1')).toBe(answer);
    if (recorded.length === 0) {
      client.send(`\x05\x01\x00${byName('localhost', stage.current.origin.port)}`);
      expect((await client.bytes(10)).toString('latin1')).toMatch(GRANTED5);
      client.send('\x00');
      (await stage.current.origin.next()).end();
      client.end();
    } else {
      expect((await client.rest()).ending).toBe('end');
    }
    expect((await note(`\x05\x02\x00\x02 \x01${credentials}`, null, null, `\x05\x02 ${answer}`)).recorded).toEqual(
      recorded,
    );
  });
});

describe('rule 43: UDP ASSOCIATE', () => {
  async function associate(): Promise<{ control: Wire; client: Datagrams; relayPort: number }> {
    const control = await stage.current.connect('proxy');
    control.send(OPEN);
    await control.bytes(2);
    control.send('\x05\x03\x00\x01\x00\x00\x00\x00\x00\x00');
    const reply = await control.bytes(10);
    expect(reply.subarray(0, 8).toString('hex')).toBe('050000017f000001');
    return { control, client: await Datagrams.bind(), relayPort: reply.readUInt16BE(8) };
  }

  test('rule 43: datagrams go both ways, each a message of its own, until the TCP connection ends', async () => {
    const origin = await Datagrams.bind();
    const { control, client, relayPort } = await associate();
    const address = { host: 'localhost', port: origin.port };
    client.send(writeDatagram({ address, payload: Buffer.from('ping') }), relayPort);
    const { bytes, from } = await origin.next();
    expect(bytes.toString()).toBe('ping');
    origin.send('pong', from.port, from.address);
    const answer = readDatagram((await client.next()).bytes);
    expect(answer).toEqual({ address: { host: '127.0.0.1', port: origin.port }, payload: Buffer.from('pong') });
    control.end();
    const { row } = await note('(SOCKS5 UDP) ping', 'ping', 'pong', 'pong');
    expect(row?.begin).toMatchObject({ kind: 'udp', scheme: 'udp', host: 'localhost', port: origin.port });
    expect(row?.end).toMatchObject({ complete: true, requestBodyBytes: 4, responseBodyBytes: 4 });
    origin.close();
    client.close();
  });

  test('rule 43: nobody else may send through it, and nobody answers who was not asked', async () => {
    const [origin, stranger] = [await Datagrams.bind(), await Datagrams.bind()];
    const { control, client, relayPort } = await associate();
    const address = { host: '127.0.0.1', port: origin.port };
    client.send(writeDatagram({ address, payload: Buffer.from('first') }), relayPort);
    const { from } = await origin.next();
    stranger.send(writeDatagram({ address, payload: Buffer.from('stranger') }), relayPort);
    stranger.send('unasked', from.port, from.address);
    client.send(writeDatagram({ address, payload: Buffer.from('second') }), relayPort);
    expect((await origin.next()).bytes.toString()).toBe('second');
    origin.send('answer', from.port, from.address);
    expect(readDatagram((await client.next()).bytes)?.payload.toString()).toBe('answer');
    expect([origin.pending, client.pending]).toEqual([0, 0]);
    control.end();
    await note('(SOCKS5 UDP) first, second; a stranger’s datagram', 'first second', 'answer', 'answer');
    for (const end of [origin, stranger, client]) end.close();
  });
});

describe('rule 43: curl', () => {
  test.each(['--socks5-hostname', '--socks4a', '--socks5'])('rule 43: curl %s', async (option) => {
    const { origin, weir } = stage.current;
    const done = runCurl([option, `127.0.0.1:${String(weir.port)}`, `http://localhost:${String(origin.port)}/c`]);
    const server = await origin.next();
    const atOrigin = await server.head();
    server.send(OK);
    expect(await done).toEqual({ code: 0, stdout: 'ok', stderr: '' });
    const { row } = await note(`(curl ${option})`, atOrigin.slice(0, atOrigin.indexOf('\r\n')), OK, 'ok');
    expect(row?.begin).toMatchObject({ kind: 'http', path: '/c' });
  });
});
