import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIP } from 'node:net';

/** Room for bursts, bytes; the system gives less where it allows less. */
const BUFFER_BYTES = 4_194_304;

/** A bound UDP socket. */
export interface UdpSocket {
  readonly address: string;
  readonly port: number;
  send(bytes: Buffer, port: number, address: string): void;
  close(): void;
}

export interface UdpObserver {
  onDatagram(bytes: Buffer, from: RemoteInfo): void;
  /** @param error of the socket, or of something that it sent */
  onError(error: NodeJS.ErrnoException): void;
}

/**
 * Binds a UDP socket.
 *
 * @param reusePort several workers share the port
 * @throws the system's error when the address cannot be bound
 */
export function bindUdp(host: string, port: number, reusePort: boolean, observer: UdpObserver): Promise<UdpSocket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: isIP(host) === 6 ? 'udp6' : 'udp4', reusePort });
    socket.once('error', reject);
    socket.on('message', (bytes, from) => {
      observer.onDatagram(bytes, from);
    });
    socket.bind({ address: host, port, exclusive: true }, () => {
      socket.off('error', reject);
      socket.on('error', (error) => {
        observer.onError(error);
      });
      enlarge(socket);
      const { address, port: bound } = socket.address();
      resolve({
        address,
        port: bound,
        send: (bytes, to, at) => {
          socket.send(bytes, to, at, (error) => {
            if (error !== null) observer.onError(error);
          });
        },
        close: () => {
          socket.close();
        },
      });
    });
  });
}

/** A burst that comes faster than it is read waits in the system's buffer or is lost. */
function enlarge(socket: Socket): void {
  try {
    socket.setRecvBufferSize(BUFFER_BYTES);
    socket.setSendBufferSize(BUFFER_BYTES);
  } catch {
    // Some systems refuse instead of giving what they have.
  }
}

/** Opens a UDP socket that talks with one place only; what is sent before it stands waits. */
export function connectUdp(
  address: string,
  port: number,
  observer: UdpObserver,
): { send(bytes: Buffer): void; close(): void } {
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
  let waiting: Buffer[] | null = [];
  let isOpen = true;
  const send = (bytes: Buffer): void => {
    socket.send(bytes, (error) => {
      if (error !== null && isOpen) observer.onError(error);
    });
  };
  socket.on('error', (error) => {
    if (isOpen) observer.onError(error);
  });
  socket.on('message', (bytes, from) => {
    if (isOpen) observer.onDatagram(bytes, from);
  });
  socket.connect(port, address, () => {
    if (!isOpen) return;
    enlarge(socket);
    for (const bytes of waiting ?? []) send(bytes);
    waiting = null;
  });
  return {
    send: (bytes) => {
      if (waiting === null) send(bytes);
      else waiting.push(bytes);
    },
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      socket.close();
    },
  };
}
