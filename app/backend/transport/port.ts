import type { Carrier, ClientFrame, ServerFrame } from '../../contract/wire.ts';

/** The part that the message ports of Node and of Electron's utility process share. */
export interface HostPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  start(): void;
  close(): void;
}

/**
 * The server's carrier over a message port that the host handed in. Frames travel as structured clones. Electron wraps
 * what arrives in an event, Node does not; both are taken.
 */
export function createPortCarrier(port: HostPort): Carrier<ServerFrame, ClientFrame> {
  return {
    send(frame) {
      port.postMessage(frame);
    },
    onFrame(listener) {
      port.on('message', (message) => {
        // Whoever listens validates the frame.
        listener(unwrap(message) as ClientFrame);
      });
      port.start();
    },
    onClose(listener) {
      port.on('close', listener);
    },
    close() {
      port.close();
    },
  };
}

function unwrap(message: unknown): unknown {
  const isEvent =
    typeof message === 'object' && message !== null && 'data' in message && !('type' in message && 'id' in message);
  return isEvent ? message.data : message;
}
