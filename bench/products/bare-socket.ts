import { connect, createServer, Socket, type BoundSocket } from 'node:net';

/** Not part of Node's documented interface; where it looks different a control is dearer than it must be, and nothing else. */
interface BareHandle {
  setNoDelay(on: boolean): void;
  writeBuffer(request: object, bytes: Buffer): number;
}

interface WriteRequest {
  oncomplete: () => void;
  bytes: Buffer;
}

/** Every read of the process lands here and is copied: one small allocation instead of one of 64 KiB. */
const shared = Buffer.allocUnsafeSlow(65_536);
let Request: (new () => Partial<WriteRequest>) | null = null;

/**
 * A TCP connection without Node's streams, for controls: what reading and writing must cost in this runtime. It knows no
 * backpressure, so it is for loads that wait for their answers.
 */
export class BareSocket {
  onBytes: (bytes: Buffer) => void = () => undefined;
  readonly socket: Socket;

  private constructor(open: (onread: { buffer: Uint8Array; callback: (count: number) => boolean }) => Socket) {
    this.socket = open({
      buffer: shared,
      callback: (count) => {
        const bytes = Buffer.allocUnsafe(count);
        shared.copy(bytes, 0, 0, count);
        this.onBytes(bytes);
        return true;
      },
    });
    // A connection that breaks is the generator's to count.
    this.socket.on('error', () => undefined);
  }

  static connect(port: number): BareSocket {
    return new BareSocket((onread) => connect({ host: '127.0.0.1', port, noDelay: true, onread }));
  }

  /** @returns the port that it listens on */
  static listen(onConnection: (client: BareSocket) => void): Promise<number> {
    const server = createServer();
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const handle = (server as unknown as { _handle: { onconnection: (error: number, peer?: BareHandle) => void } })
          ._handle;
        handle.onconnection = (_error, peer) => {
          if (peer === undefined) return;
          peer.setNoDelay(true);
          const client = new BareSocket((onread) => new Socket({ handle: peer as unknown as BoundSocket, onread }));
          onConnection(client);
          client.socket.resume();
        };
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  }

  /** Writes to an open connection; order holds. */
  write(bytes: Buffer): void {
    const handle = (this.socket as unknown as { _handle: BareHandle | null })._handle;
    if (handle === null) return;
    if (Request === null) {
      const { writeBuffer } = handle;
      handle.writeBuffer = (request, data) => {
        Reflect.deleteProperty(handle, 'writeBuffer');
        if (request.constructor.name === 'WriteWrap') Request = request.constructor as typeof Request;
        return writeBuffer.call(handle, request, data);
      };
      this.socket.write(bytes);
      return;
    }
    const request = new Request();
    request.oncomplete = done;
    request.bytes = bytes;
    if (handle.writeBuffer(request, bytes) !== 0) this.socket.destroy();
  }
}

function done(): void {
  // What had to wait is sent.
}
