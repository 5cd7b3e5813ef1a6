import { once } from 'node:events';
import { connect as connectTcp, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { originCertificate } from '../../test/support/origin-certificates.ts';
import { DEAF, type LinkHandler } from '../pipeline/link.ts';
import { SocketLink } from './socket-link.ts';
import { SocketReader } from './socket-reader.ts';

const certificate = originCertificate('localhost');
const BODY = Buffer.from(Array.from({ length: 300_001 }, (_, at) => at % 251));

let listening: Server;
let client: TLSSocket;
let secure: TLSSocket;
let raw: Socket;

/** Both ends of a connection whose handshake is done; the server's has not been read from. */
beforeEach(async () => {
  listening = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const accepted = once(listening, 'connection') as Promise<[Socket]>;
  client = connectTls({
    socket: connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true }),
    rejectUnauthorized: false,
  });
  client.on('error', () => undefined);
  [raw] = await accepted;
  secure = new TLSSocket(raw, {
    isServer: true,
    secureContext: createSecureContext(certificate),
  });
  await once(secure, 'secure');
  secure.pause();
});
afterEach(() => {
  client.destroy();
  raw.destroy();
  listening.close();
});

/** Notes what a link tells, and rests after each run of bytes until `goOn`. */
class Resting implements LinkHandler {
  readonly parts: Buffer[] = [];
  readonly told: string[] = [];
  link: SocketLink | null = null;
  onTold: () => void = () => undefined;

  onBytes(bytes: Buffer): void {
    this.parts.push(Buffer.from(bytes));
    this.link?.pause();
    this.#tell('bytes');
  }
  onDrain(): void {
    this.#tell('drain');
  }
  onEof(): void {
    this.#tell('end');
  }
  onClosed(): void {
    this.#tell('closed');
  }
  #tell(what: string): void {
    this.told.push(what);
    this.onTold();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('a link over TLS', () => {
  test('is read without a stream in this version of Node', () => {
    expect(SocketReader.within(secure)).not.toBeNull();
  });

  test('tells nothing before the first resume and between a pause and a resume, though TLS reads on, and the end last', async () => {
    const handler = new Resting();
    handler.link = new SocketLink(secure, handler, raw);
    client.end(BODY);
    await turn();
    expect(handler.told).toEqual([]);
    while (!handler.told.includes('end')) {
      const before = handler.told.length;
      handler.link.resume();
      while (handler.told.length === before) await turn();
      expect(handler.told.length).toBeLessThanOrEqual(before + 2);
      if (handler.told.length === before + 2) expect(handler.told.slice(-2)).toEqual(['bytes', 'end']);
    }
    expect(Buffer.concat(handler.parts).equals(BODY)).toBe(true);
    handler.link.finish();
    while (!handler.told.includes('closed')) await turn();
    expect(handler.told.slice(-2)).toEqual(['end', 'closed']);
  });

  test('tells that it is gone after what it held, also to somebody who closes it instead', async () => {
    const handler = new Resting();
    handler.link = new SocketLink(secure, handler, raw);
    handler.link.resume();
    client.write(BODY.subarray(0, 60_000));
    while (handler.told.length === 0) await turn();
    client.end();
    handler.link.finish();
    await turn();
    await turn();
    expect(handler.told).toEqual(['bytes']);
    handler.link.close();
    while (!handler.told.includes('closed')) await turn();
    expect(handler.told).toEqual(['bytes', 'closed']);
  });

  test('leaves what it held to whoever takes the socket over', async () => {
    const handler = new Resting();
    handler.link = new SocketLink(secure, handler, raw);
    handler.link.resume();
    client.end(BODY);
    while (handler.told.length === 0) await turn();
    await turn();
    const socket = handler.link.detach();
    const parts: Buffer[] = [];
    const link = new SocketLink(
      socket,
      {
        ...DEAF,
        onBytes: (bytes) => parts.push(Buffer.from(bytes)),
        onEof: () => parts.push(Buffer.from('END')),
      },
      raw,
    );
    link.resume();
    while (parts.at(-1)?.toString() !== 'END') await turn();
    parts.pop();
    expect(Buffer.concat([...handler.parts, ...parts]).equals(BODY)).toBe(true);
  });
});
