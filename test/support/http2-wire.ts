import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { DEFAULT_LIMITS } from '../../proxy-engine/index.ts';
import { Http2Connection } from '../../proxy-engine/protocol/http2/index.ts';
import type { HeaderToSend, Http2Head, Http2Stream } from '../../proxy-engine/protocol/http2/index.ts';

/** What one end of a connection saw. */
export type Seen =
  | { readonly kind: 'head'; readonly stream: Http2Stream<null>; readonly head: Http2Head; readonly end: boolean }
  | { readonly kind: 'data'; readonly stream: Http2Stream<null>; readonly text: string; readonly end: boolean }
  | { readonly kind: 'trailers'; readonly stream: Http2Stream<null>; readonly head: Http2Head }
  | { readonly kind: 'reset'; readonly stream: Http2Stream<null>; readonly code: number }
  | { readonly kind: 'goaway'; readonly code: number; readonly debug: string }
  | { readonly kind: 'closed' };

type SeenOf<Kind extends Seen['kind']> = Extract<Seen, { kind: Kind }>;

/** One end of an HTTP/2 connection that a test plays by hand, over a real socket. */
export class Http2Wire {
  readonly connection: Http2Connection<null>;
  readonly #socket: Socket;
  readonly #seen: Seen[] = [];
  readonly #waiting = new Set<() => void>();
  /** Streams whose bytes are not given back as window. */
  readonly stalled = new Set<number>();

  constructor(role: 'client' | 'server', socket: Socket) {
    this.#socket = socket;
    this.connection = new Http2Connection<null>(
      role,
      DEFAULT_LIMITS,
      {
        onHead: (stream, head, end) => {
          this.#saw({ kind: 'head', stream, head, end });
        },
        onData: (stream, bytes, start, end, last) => {
          if (!this.stalled.has(stream.id)) this.connection.consume(stream, end - start);
          this.#saw({ kind: 'data', stream, text: bytes.toString('latin1', start, end), end: last });
        },
        onTrailers: (stream, head) => {
          this.#saw({ kind: 'trailers', stream, head });
        },
        onReset: (stream, code) => {
          this.#saw({ kind: 'reset', stream, code });
        },
        onGoaway: (_lastStream, code, debug) => {
          this.#saw({ kind: 'goaway', code, debug });
        },
        onDrained: () => undefined,
        onSettings: () => undefined,
        onFailure: () => undefined,
      },
      { tolerateSpace: false, offersConnect: true, now: () => 0 },
    );
    socket.on('data', (bytes) => {
      this.connection.receive(bytes);
      this.flush();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#saw({ kind: 'closed' });
    });
    this.flush();
  }

  static connect(port: number): Http2Wire {
    return new Http2Wire('client', connect(port, '127.0.0.1'));
  }

  flush(): void {
    for (const part of this.connection.take()) this.#socket.write(part);
  }

  /** Opens a stream. */
  request(fields: readonly HeaderToSend[], end = true): Http2Stream<null> {
    const stream = this.connection.open(fields, end, null);
    if (stream === null) throw new Error('no stream can be opened');
    this.flush();
    return stream;
  }

  respond(stream: Http2Stream<null>, fields: readonly HeaderToSend[], body: string | null = null): void {
    this.connection.sendHead(stream, fields, body === null);
    if (body !== null) this.data(stream, body, true);
    this.flush();
  }

  data(stream: Http2Stream<null>, text: string, end: boolean): void {
    this.connection.sendData(stream, Buffer.from(text, 'latin1'), 0, text.length, end);
    this.flush();
  }

  reset(stream: Http2Stream<null>, code: number): void {
    this.connection.reset(stream, code);
    this.flush();
  }

  /** Bytes that no sender of ours would write. */
  raw(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** The next event of a kind, of one stream when one is named; earlier ones are passed over. */
  async next<Kind extends Seen['kind']>(kind: Kind, streamId?: number): Promise<SeenOf<Kind>> {
    for (;;) {
      const at = this.#seen.findIndex(
        (seen) => seen.kind === kind && (streamId === undefined || ('stream' in seen && seen.stream.id === streamId)),
      );
      const [found] = at === -1 ? [] : this.#seen.splice(at, 1);
      if (found !== undefined) return found as SeenOf<Kind>;
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  /** The whole body of a stream. */
  async body(streamId: number): Promise<string> {
    let text = '';
    for (;;) {
      const seen = await this.next('data', streamId);
      text += seen.text;
      if (seen.end) return text;
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #saw(seen: Seen): void {
    this.#seen.push(seen);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/** An HTTP/2 origin that a test plays by hand. */
export class Http2WireServer {
  readonly #server: Server;
  readonly #arrived: Http2Wire[] = [];
  readonly #all: Http2Wire[] = [];
  #wake: () => void = () => undefined;

  private constructor() {
    this.#server = createServer((socket) => {
      const wire = new Http2Wire('server', socket);
      this.#arrived.push(wire);
      this.#all.push(wire);
      this.#wake();
    });
  }

  static async listen(): Promise<Http2WireServer> {
    const server = new Http2WireServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async next(): Promise<Http2Wire> {
    for (;;) {
      const wire = this.#arrived.shift();
      if (wire !== undefined) return wire;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    for (const wire of this.#all) wire.close();
    this.#server.close();
  }
}
