import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

/** A request as an origin saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** Names and values in turn, in wire order and case. */
  readonly rawHeaders: readonly string[];
  /** SHA-256 of the body, hex. */
  readonly bodyHash: string;
  readonly bodyBytes: number;
}

/** A body that no client and no proxy can guess. */
export const ORIGIN_BODY = Buffer.alloc(100_000, 'Weir stands in the stream and measures. ');
export const ORIGIN_TAG = '"v1"';

/**
 * A real HTTP/1 server, in plain and over TLS, that remembers every request and answers by path: `/body`, `/echo`,
 * `/redirect`, `/range`, `/cached`, `/refuse-continue`.
 */
export class RecordingOrigin {
  readonly seen: SeenRequest[] = [];
  readonly #servers: readonly Server[];
  readonly #ports: readonly number[];

  private constructor(servers: readonly Server[], ports: readonly number[]) {
    this.#servers = servers;
    this.#ports = ports;
    for (const server of servers) {
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        this.#answer(request, response);
      });
      server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        if (request.url !== '/refuse-continue') response.writeContinue();
        this.#answer(request, response);
      });
    }
  }

  static async start(certificate: {
    readonly certificateFile: string;
    readonly keyFile: string;
  }): Promise<RecordingOrigin> {
    const tls = { cert: readFileSync(certificate.certificateFile), key: readFileSync(certificate.keyFile) };
    const servers = [createServer(), createTlsServer({ ...tls, ALPNProtocols: ['http/1.1', 'http/1.0'] })];
    const ports: number[] = [];
    for (const server of servers) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      ports.push(typeof address === 'object' && address !== null ? address.port : 0);
    }
    return new RecordingOrigin(servers, ports);
  }

  url(scheme: 'http' | 'https', path: string): string {
    return `${scheme}://localhost:${String(this.#ports[scheme === 'http' ? 0 : 1])}${path}`;
  }

  port(scheme: 'http' | 'https'): number {
    return this.#ports[scheme === 'http' ? 0 : 1] ?? 0;
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const hash = createHash('sha256');
    let bodyBytes = 0;
    const record = (): void => {
      this.seen.push({
        method: request.method ?? '',
        target: request.url ?? '',
        version: request.httpVersion,
        rawHeaders: request.rawHeaders,
        bodyHash: hash.digest('hex'),
        bodyBytes,
      });
    };
    if (request.url === '/refuse-continue') {
      record();
      response.writeHead(417, { 'Content-Length': 0, Connection: 'close' }).end();
      return;
    }
    request.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      bodyBytes += chunk.length;
    });
    request.on('end', () => {
      record();
      respond(request, response, this.seen.at(-1)?.bodyHash ?? '');
    });
  }
}

function respond(request: IncomingMessage, response: ServerResponse, bodyHash: string): void {
  const path = (request.url ?? '').split('?')[0];
  if (path === '/redirect') {
    response.writeHead(302, { Location: '/body', 'Content-Length': 0 }).end();
  } else if (path === '/cached' && request.headers['if-none-match'] === ORIGIN_TAG) {
    response.writeHead(304, { ETag: ORIGIN_TAG }).end();
  } else if (path === '/range' && request.headers.range === 'bytes=100-299') {
    response.writeHead(206, { 'Content-Range': `bytes 100-299/${String(ORIGIN_BODY.length)}`, 'Content-Length': 200 });
    response.end(ORIGIN_BODY.subarray(100, 300));
  } else if (path === '/echo') {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Body-Hash': bodyHash }).end(bodyHash);
  } else if (path === '/chunked') {
    response.writeHead(200, { 'Content-Type': 'text/plain', Trailer: 'X-Sum' });
    for (let at = 0; at < ORIGIN_BODY.length; at += 7_001) response.write(ORIGIN_BODY.subarray(at, at + 7_001));
    response.addTrailers({ 'X-Sum': 'seven' });
    response.end();
  } else {
    response.writeHead(200, [
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['set-cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['ETag', ORIGIN_TAG],
      ['Content-Length', String(ORIGIN_BODY.length)],
    ]);
    response.end(request.method === 'HEAD' ? undefined : ORIGIN_BODY);
  }
}
