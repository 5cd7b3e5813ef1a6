import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** One end of UDP as a test holds it. */
export class Datagrams {
  readonly socket: Socket;
  readonly port: number;
  #arrived: { readonly bytes: Buffer; readonly from: RemoteInfo }[] = [];
  #waiting: (() => void) | null = null;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.port = socket.address().port;
    socket.on('message', (bytes, from) => {
      this.#arrived.push({ bytes, from });
      this.#waiting?.();
    });
    socket.on('error', () => undefined);
  }

  static async bind(address = '127.0.0.1'): Promise<Datagrams> {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    return new Datagrams(socket);
  }

  send(bytes: string | Buffer, port: number, address = '127.0.0.1'): void {
    this.socket.send(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, port, address);
  }

  /** Takes the next datagram. */
  async next(): Promise<{ readonly bytes: Buffer; readonly from: RemoteInfo }> {
    for (;;) {
      const datagram = this.#arrived.shift();
      if (datagram !== undefined) return datagram;
      await new Promise<void>((resolve) => (this.#waiting = resolve));
    }
  }

  /** Datagrams that came and were not taken. */
  get pending(): number {
    return this.#arrived.length;
  }

  close(): void {
    this.socket.close();
  }
}
