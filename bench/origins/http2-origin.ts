import { createSecureServer, createServer } from 'node:http2';
import type { Http2SecureServer, Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { ANSWERS, DUPLEX_PATH, GRPC_MESSAGE } from './answers.ts';

const SETTINGS = { maxConcurrentStreams: 1_000 } as const;

/**
 * An origin that speaks HTTP/2 alone: the fixed answers, an echo, and any gRPC method with one message.
 *
 * @param certificate for TLS; null speaks by prior knowledge
 */
export function createHttp2Origin(
  certificate: { readonly cert: Buffer; readonly key: Buffer } | null,
): Http2Server | Http2SecureServer {
  const server =
    certificate === null
      ? createServer({ settings: SETTINGS })
      : createSecureServer({ ...certificate, settings: SETTINGS });
  server.on('stream', answer);
  server.on('session', (session) => session.on('error', () => undefined));
  return server;
}

function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  stream.on('error', () => undefined);
  if (headers[':path'] === DUPLEX_PATH) {
    stream.respond({ ':status': 200, 'content-type': 'application/octet-stream' });
    stream.pipe(stream);
    return;
  }
  stream.resume();
  if (headers['content-type'] === 'application/grpc') {
    stream.once('end', () => {
      answerGrpc(stream);
    });
    return;
  }
  const fixed = ANSWERS[headers[':path'] ?? ''];
  const reply = (): void => {
    if (fixed === undefined) {
      stream.respond({ ':status': 404 }, { endStream: true });
      return;
    }
    stream.respond({ ':status': 200, 'content-type': fixed.type });
    fixed.parts.forEach((part, at) => {
      if (at === fixed.parts.length - 1) stream.end(part);
      else stream.write(part);
    });
  };
  if (headers[':method'] === 'POST') stream.once('end', reply);
  else reply();
}

function answerGrpc(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': '0' });
  });
  stream.end(GRPC_MESSAGE);
}
