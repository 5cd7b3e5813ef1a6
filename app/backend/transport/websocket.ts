import type { WebSocket } from 'ws';
import { decodeFrame, encodeFrame } from '../../contract/frame-codec.ts';
import type { Carrier, ClientFrame, ServerFrame } from '../../contract/wire.ts';

/** Longest message that is taken from a client, bytes. Its longest legitimate one is a settings change. */
export const MAX_MESSAGE_BYTES = 1_048_576;

/** A client that does not read is dropped once this much waits for it, bytes. Streams stay far below by their credit. */
const MAX_BUFFERED_BYTES = 134_217_728;

/** The server's carrier over an accepted WebSocket. A message that is no frame closes it. */
export function createWebSocketCarrier(socket: WebSocket): Carrier<ServerFrame, ClientFrame> {
  socket.binaryType = 'nodebuffer';
  // Protocol faults of the peer, messages over the limit and resets: `close` follows each.
  socket.on('error', () => undefined);
  return {
    send(frame) {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate();
      else socket.send(encodeFrame(frame));
    },
    onFrame(listener) {
      socket.on('message', (data, isBinary) => {
        if (!Buffer.isBuffer(data)) return;
        try {
          // Whoever listens validates the frame: what was decoded has only been parsed.
          listener(decodeFrame(isBinary ? data : data.toString('utf8')) as ClientFrame);
        } catch {
          socket.close(1007, 'malformed frame');
        }
      });
    },
    onClose(listener) {
      socket.on('close', listener);
    },
    close() {
      socket.close(1008, 'malformed frame');
    },
  };
}
