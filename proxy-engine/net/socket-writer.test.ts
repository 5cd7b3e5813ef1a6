import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { SocketWriter } from './socket-writer.ts';

const MEBIBYTE = 1_048_576;
let server: Server | null = null;

/** Two ends of a connection of this machine; the far one does not read yet. */
async function pair(): Promise<{ near: Socket; far: Socket }> {
  const listening = createServer({ pauseOnConnect: true, allowHalfOpen: true });
  server = listening;
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const near = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  const [[far]] = (await Promise.all([once(listening, 'connection'), once(near, 'connect')])) as [[Socket], unknown];
  return { near, far };
}

function writerOf(socket: Socket): SocketWriter {
  const writer = SocketWriter.of(socket);
  if (writer === null) throw new Error('Node looks different here: sockets would be written as streams.');
  return writer;
}

async function readAll(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.resume();
  await once(socket, 'end');
  return Buffer.concat(parts);
}

afterEach(() => {
  server?.close();
  server = null;
});

describe('the writer of a socket', () => {
  test('sends everything in order, to a peer that does not read at first too, and the end after it', async () => {
    const { near, far } = await pair();
    const writer = writerOf(near);
    const parts = Array.from({ length: 40 }, (_, at) => Buffer.alloc(at === 0 ? 5 : MEBIBYTE / 4, at + 1));
    for (const part of parts) writer.write(part, null);
    expect(writer.busy).toBe(true);
    expect(writer.full).toBe(true);
    near.end();
    const drained = new Promise<void>((resolve) => (writer.onDrain = resolve));
    const received = await readAll(far);
    expect(received.equals(Buffer.concat(parts))).toBe(true);
    await drained;
    expect(writer.busy).toBe(false);
    expect(writer.full).toBe(false);
    near.destroy();
    far.destroy();
  });

  test('keeps its order with what is written to the stream', async () => {
    const { near, far } = await pair();
    const writer = writerOf(near);
    writer.write(Buffer.from('first '), null);
    for (let round = 0; round < 3; round += 1) {
      near.write(Buffer.alloc(MEBIBYTE, 0x2e));
      writer.write(Buffer.from(`writer ${String(round)} `), null);
      near.write(`stream ${String(round)} `);
    }
    near.end();
    const text = (await readAll(far)).toString('latin1').replace(/\.+/g, '… ');
    expect(text).toBe('first … writer 0 stream 0 … writer 1 stream 1 … writer 2 stream 2 ');
    near.destroy();
    far.destroy();
  });

  test('sends small pieces without holding any of them back', async () => {
    const { near, far } = await pair();
    const writer = writerOf(near);
    far.resume();
    for (const word of ['one', 'two', 'three']) {
      writer.write(Buffer.from(word), null);
      const [heard] = (await once(far, 'data')) as [Buffer];
      expect(heard.toString()).toBe(word);
      expect(writer.busy).toBe(false);
    }
    near.destroy();
    far.destroy();
  });

  test('ends its socket with the system’s error when the peer has reset it', async () => {
    const { near, far } = await pair();
    const writer = writerOf(near);
    writer.write(Buffer.from('hello'), null);
    const failed = once(near, 'error') as Promise<[NodeJS.ErrnoException]>;
    far.resetAndDestroy();
    await once(far, 'close');
    const timer = setInterval(() => {
      writer.write(Buffer.from('more'), null);
    }, 5);
    const [error] = await failed;
    clearInterval(timer);
    expect(['ECONNRESET', 'EPIPE']).toContain(error.code);
    expect(near.destroyed).toBe(true);
  });

  test('takes what comes after the end, or after the connection is gone, and lets it vanish', async () => {
    const { near, far } = await pair();
    const writer = writerOf(near);
    near.on('error', (error) => expect.unreachable(error.message));
    writer.write(Buffer.from('last'), null);
    near.end();
    writer.write(Buffer.from('late'), null);
    expect((await readAll(far)).toString()).toBe('last');
    near.destroy();
    writer.write(Buffer.from('later'), null);
    await once(near, 'close');
    far.destroy();
  });

  test('is none where Node has nothing to write to', () => {
    const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    expect(SocketWriter.of(stream as unknown as Socket)).toBeNull();
  });
});
