import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import {
  connect as tlsConnect,
  createServer as createTlsServer,
  type ConnectionOptions,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls';

/** How the peer ended a connection: by FIN, by RST, or not yet. */
type Ending = 'open' | 'end' | 'reset';

const NOTHING = Buffer.alloc(0);

/** One end of a connection as a test holds it: sends bytes, waits for bytes. */
export class Wire {
  readonly socket: Socket;
  #parts: Buffer[] = [];
  #ending: Ending = 'open';
  readonly #waiting = new Set<() => void>();

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.#parts.push(bytes);
      this.#wake();
    });
    socket.on('end', () => {
      if (this.#ending === 'open') this.#ending = 'end';
      this.#wake();
    });
    socket.on('error', () => {
      this.#ending = 'reset';
      this.#wake();
    });
    socket.on('close', () => {
      if (this.#ending === 'open') this.#ending = 'end';
      this.#wake();
    });
  }

  /** Connects to a port of this machine. */
  static async connect(port: number, host = '127.0.0.1'): Promise<Wire> {
    const socket = connect({ port, host, allowHalfOpen: true, noDelay: true });
    await once(socket, 'connect');
    return new Wire(socket);
  }

  /** Speaks TLS as a client on this connection from here on; what was received before must have been taken. */
  async secure(options: ConnectionOptions): Promise<Wire & { readonly socket: TLSSocket }> {
    this.socket.removeAllListeners('data');
    this.socket.pause();
    const socket = tlsConnect({ ...options, socket: this.socket });
    await once(socket, 'secureConnect');
    return new Wire(socket) as Wire & { readonly socket: TLSSocket };
  }

  send(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Takes everything up to and with `mark`. Fails when the connection ends first. */
  async until(mark: string): Promise<string> {
    await this.#wait(() => this.#gather().includes(mark, 0, 'latin1'), `"${mark}"`);
    const end = this.#gather().indexOf(mark, 0, 'latin1') + mark.length;
    return this.#take(end).toString('latin1');
  }

  /** Takes that many bytes. Fails when the connection ends first. */
  async bytes(count: number): Promise<Buffer> {
    await this.#wait(() => this.#gather().length >= count, `${String(count)} bytes`);
    return this.#take(count);
  }

  /** Takes that many bytes and throws them away; for more than a test wants to hold. */
  async swallow(count: number): Promise<void> {
    let missing = count;
    while (missing > 0) {
      await this.#wait(() => this.#parts.length > 0, `${String(missing)} more bytes`);
      missing -= this.#take(Math.min(missing, this.#gather().length)).length;
    }
  }

  /** Takes a head. */
  head(): Promise<string> {
    return this.until('\r\n\r\n');
  }

  /** Takes what is left once the peer has ended its side, and how it did that. */
  async rest(): Promise<{ readonly text: string; readonly ending: Ending }> {
    await this.#wait(() => this.#ending !== 'open', 'the end', true);
    return { text: this.#take(this.#gather().length).toString('latin1'), ending: this.#ending };
  }

  /** What has been received and not been taken. */
  get pending(): string {
    return this.#gather().toString('latin1');
  }

  end(): void {
    this.socket.end();
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  #gather(): Buffer {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0] ?? NOTHING;
  }

  #take(count: number): Buffer {
    const all = this.#gather();
    this.#parts = count < all.length ? [all.subarray(count)] : [];
    return all.subarray(0, count);
  }

  #wait(isTrue: () => boolean, what: string, acceptsEnd = false): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (isTrue()) resolve();
        else if (this.#ending !== 'open' && !acceptsEnd) {
          reject(
            new Error(
              `The connection ended (${this.#ending}) before ${what} came; left: ${JSON.stringify(this.pending.slice(0, 2_000))}`,
            ),
          );
        } else return;
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }
}

/** A server whose connections a test plays by hand, in the order in which they come. */
export class WireServer {
  readonly port: number;
  /** Connections that were ever accepted. */
  accepted = 0;
  readonly #server: Server;
  readonly #arrived: Wire[] = [];
  readonly #waiting: ((wire: Wire) => void)[] = [];
  readonly #sockets = new Set<Socket>();
  /** Resolves with the first connection, of TLS before its handshake. */
  readonly touched: Promise<void>;

  private constructor(server: Server) {
    this.#server = server;
    this.touched = once(server, 'connection').then(() => undefined);
    // Of TLS connections this is the socket below, which exists before the handshake is done.
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.port = (server.address() as AddressInfo).port;
  }

  static async listen(host = '127.0.0.1'): Promise<WireServer> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(0, host);
    await once(server, 'listening');
    const wires = new WireServer(server);
    server.on('connection', (socket) => {
      wires.#accept(socket);
    });
    return wires;
  }

  /** The same over TLS; wires arrive when their handshake is done. */
  static async listenTls(options: TlsOptions): Promise<WireServer> {
    const server = createTlsServer({ ALPNProtocols: ['http/1.1'], ...options, allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const wires = new WireServer(server);
    server.on('secureConnection', (socket) => {
      wires.#accept(socket);
    });
    return wires;
  }

  /** The next connection. */
  next(): Promise<Wire> {
    const arrived = this.#arrived.shift();
    if (arrived !== undefined) return Promise.resolve(arrived);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(socket: Socket): void {
    this.accepted += 1;
    const wire = new Wire(socket);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#arrived.push(wire);
    else waiting(wire);
  }
}
