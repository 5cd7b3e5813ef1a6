import type { ClientEntry } from '../pipeline/client-entry.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { Http1Client } from '../pipeline/http1-client.ts';
import { Http2Client } from '../pipeline/http2-client.ts';
import type { LinkHandler } from '../pipeline/link.ts';
import type { ClientTlsState } from './client-entry.ts';
import type { SocketLink } from './socket-link.ts';

/** What the client of a secured connection speaks: what ALPN agreed on. */
export function agreedProtocol({ socket }: ClientTlsState): ClientEntry['protocol'] {
  return socket.alpnProtocol === 'h2' ? 'h2' : null;
}

/** Gives a connection to whom it belongs by the protocol of its entry. */
export function serveHttp(context: PipelineContext, link: SocketLink, entry: ClientEntry): LinkHandler {
  return entry.protocol === null ? new Http1Client(context, link, entry) : new Http2Client(context, link, entry);
}
