import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { HeaderField } from '#contract';
import { MOST_MESSAGE_BYTES } from './conversation-script.ts';
import type { PlannedHandshake } from './plan-handshake.ts';

/** Fields whose values belong to this handshake alone. */
const MADE_ANEW: ReadonlySet<string> = new Set(['sec-websocket-key', 'sec-websocket-extensions']);

/**
 * Begins the handshake of a WebSocket on a connection that stands: fields in the planned order and case, a key of its own.
 *
 * @throws Error when a field cannot be sent
 */
export function openWebSocket(socket: Socket, planned: PlannedHandshake): WebSocket {
  const { place, subprotocols, deflate } = planned;
  const scheme = place.scheme === 'https' ? 'wss' : 'ws';
  return new WebSocket(`${scheme}://${place.authority}/`, [...new Set(subprotocols)], {
    perMessageDeflate: deflate,
    maxPayload: MOST_MESSAGE_BYTES,
    // Weir shows what it gets; whether a text is UTF-8 is noted at its message.
    skipUTF8Validation: true,
    // Node's client reads a connection only that is not paused; an origin says nothing before it was asked.
    createConnection: () => socket.resume(),
    finishRequest(request) {
      arrange(request, planned);
      request.end();
    },
  });
}

/** Writes the head anew: what the library puts in by itself stands behind what was planned. */
function arrange(request: ClientRequest, { place, fields, offer }: PlannedHandshake): void {
  const own = new Map(
    request.getRawHeaderNames().map((name) => [name.toLowerCase(), [name, request.getHeader(name)] as const]),
  );
  for (const name of own.keys()) request.removeHeader(name);
  for (const [lower, { name, values }] of grouped(fields)) {
    const made = MADE_ANEW.has(lower) ? own.get(lower)?.[1] : undefined;
    if (made === undefined) request.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
    else request.setHeader(name, lower === 'sec-websocket-extensions' && offer !== null ? offer : made);
  }
  for (const [lower, [name, value]] of own) {
    if (!request.hasHeader(lower) && value !== undefined) {
      request.setHeader(name, lower === 'host' ? place.authority : value);
    }
  }
  // As it is written, dot segments and odd escapes included.
  request.path = place.target;
}

/** Fields of one name stand together where the first of them stood: Node's client keeps no other order. */
function grouped(fields: readonly HeaderField[]): Map<string, { readonly name: string; readonly values: string[] }> {
  const groups = new Map<string, { readonly name: string; readonly values: string[] }>();
  for (const [name, value] of fields) {
    const group = groups.get(name.toLowerCase());
    if (group === undefined) groups.set(name.toLowerCase(), { name, values: [value] });
    else group.values.push(value);
  }
  return groups;
}
