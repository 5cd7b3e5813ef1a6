import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { ANSWERS, GRPC_MESSAGE } from './answers.ts';

/** An origin that speaks HTTP/2 by prior knowledge: the fixed answers, and any gRPC method with one message. */
export function createHttp2Origin(): Http2Server {
  const server = createServer({ settings: { maxConcurrentStreams: 1_000 } });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (headers['content-type'] === 'application/grpc') {
      stream.resume();
      stream.once('end', () => {
        answerGrpc(stream);
      });
      return;
    }
    const answer = ANSWERS[headers[':path'] ?? ''];
    stream.resume();
    const reply = (): void => {
      if (answer === undefined) {
        stream.respond({ ':status': 404 }, { endStream: true });
        return;
      }
      stream.respond({ ':status': 200, 'content-type': answer.type });
      answer.parts.forEach((part, at) => {
        if (at === answer.parts.length - 1) stream.end(part);
        else stream.write(part);
      });
    };
    if (headers[':method'] === 'POST') stream.once('end', reply);
    else reply();
  });
  server.on('session', (session) => session.on('error', () => undefined));
  return server;
}

function answerGrpc(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': '0' });
  });
  stream.end(GRPC_MESSAGE);
}
