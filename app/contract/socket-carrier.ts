import { decodeFrame, encodeFrame } from './frame-codec.ts';
import type { Carrier, ClientFrame, ServerFrame } from './wire.ts';

/** The part of the standard WebSocket that the client's carrier uses; the page's and Node's own both have it. */
export interface StandardSocket {
  binaryType: string;
  send(message: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: () => void): void;
}

/** The sub-protocol that the control port speaks. */
export const CONTRACT_PROTOCOL = 'weir.v1';

const TOKEN_PREFIX = 'weir.token.';

/**
 * Sub-protocols to offer when the socket is opened: the contract's, and the token, so that it stands in no URL.
 * The server answers with the first alone.
 */
export function contractProtocols(token: string): string[] {
  return [CONTRACT_PROTOCOL, TOKEN_PREFIX + token];
}

/** The token among offered sub-protocols; null when none was. */
export function tokenOfProtocols(protocols: Iterable<string>): string | null {
  for (const protocol of protocols) {
    if (protocol.startsWith(TOKEN_PREFIX)) return protocol.slice(TOKEN_PREFIX.length);
  }
  return null;
}

/** The client's carrier over an open WebSocket. A message that is no frame closes it: the peer is not a backend. */
export function createSocketCarrier(socket: StandardSocket): Carrier<ClientFrame, ServerFrame> {
  socket.binaryType = 'arraybuffer';
  return {
    send(frame) {
      socket.send(encodeFrame(frame));
    },
    onFrame(listener) {
      socket.addEventListener('message', ({ data }) => {
        const frame = readFrame(data);
        if (frame === null) socket.close(4002, 'malformed frame');
        else listener(frame);
      });
    },
    onClose(listener) {
      socket.addEventListener('close', listener);
    },
    close() {
      socket.close(1000);
    },
  };
}

function readFrame(data: unknown): ServerFrame | null {
  try {
    const frame = decodeFrame(data instanceof ArrayBuffer ? new Uint8Array(data) : String(data));
    return isServerFrame(frame) ? frame : null;
  } catch {
    return null;
  }
}

const SERVER_FRAME_TYPES: ReadonlySet<unknown> = new Set(['result', 'failure', 'items', 'gap', 'ended']);

/** The backend is trusted with the payloads, as their types are shared; only the envelope is looked at. */
function isServerFrame(frame: unknown): frame is ServerFrame {
  return (
    typeof frame === 'object' &&
    frame !== null &&
    'type' in frame &&
    SERVER_FRAME_TYPES.has(frame.type) &&
    'id' in frame &&
    typeof frame.id === 'number'
  );
}
