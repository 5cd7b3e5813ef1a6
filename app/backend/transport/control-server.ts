import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import * as v from 'valibot';
import { PAGE_SECURITY_POLICY } from '../../contract/page-policy.ts';
import { CONTRACT_PROTOCOL, tokenOfProtocols } from '../../contract/socket-carrier.ts';
import type { Carrier, ClientFrame, ServerFrame } from '../../contract/wire.ts';
import type { Refusal } from './access.ts';
import { Access, bearerToken, refuseForeignSite, refuseHost } from './access.ts';
import { findStaticFile } from './static-files.ts';
import { createWebSocketCarrier, MAX_MESSAGE_BYTES } from './websocket.ts';

export interface ControlServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Folder of the built inspector; null serves no pages, only the contract. */
  readonly pages: string | null;
  /** Takes the carrier of a client that has shown the token. */
  readonly onClient: (carrier: Carrier<ServerFrame, ClientFrame>) => void;
}

/** The control port: the inspector's pages and the contract over a WebSocket. */
export interface ControlServer {
  readonly address: string;
  readonly port: number;
  /** Ends in `/`. */
  readonly url: string;
  readonly token: string;
  /** The URL of the inspector with a new one-time code in its fragment. */
  createPageUrl(): string;
  close(): Promise<void>;
}

const CODE_BODY = v.strictObject({ code: v.pipe(v.string(), v.maxLength(200)) });
const MAX_BODY_BYTES = 1_024;

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': PAGE_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Opens the control port. Every request must come under its own name; whatever is not a plain page must come from its own
 * page or from no page at all; the contract wants the token.
 *
 * @throws the system's error when the address cannot be listened on
 */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const access = new Access();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => CONTRACT_PROTOCOL,
  });
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 30_000 }, (request, response) => {
    answer(request, response, access, options.pages).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket, head) => {
    const refusal = refuseUpgrade(request, access);
    if (refusal !== null) {
      refuseSocket(socket, refusal);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      options.onClient(createWebSocketCarrier(accepted));
    });
  });
  const { address, port } = await listen(server, options);
  const url = `http://${nameInUrl(address)}:${String(port)}/`;
  return {
    address,
    port,
    url,
    token: access.token,
    createPageUrl: () => `${url}#code=${access.createCode()}`,
    close: () => close(server, sockets),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  access: Access,
  pages: string | null,
): Promise<void> {
  const refusal = refuseHost(request);
  if (refusal !== null) {
    sendText(response, refusal.status, refusal.message);
    return;
  }
  const [path = ''] = (request.url ?? '').split('?');
  if (!path.startsWith('/')) sendText(response, 400, "Weir's control port is not a proxy.");
  else if (path.startsWith('/api/')) await answerApi(request, response, access, pages !== null, path);
  else await answerPage(request, response, pages, path);
}

async function answerApi(
  request: IncomingMessage,
  response: ServerResponse,
  access: Access,
  hasPages: boolean,
  path: string,
): Promise<void> {
  const refusal = refuseForeignSite(request);
  if (refusal !== null) {
    sendText(response, refusal.status, refusal.message);
  } else if (request.method === 'POST' && path === '/api/session') {
    const token = access.tradeCode(await readCode(request));
    if (token === null) sendText(response, 403, 'This code was used or never given. Run `weir open` for a new one.');
    else sendJson(response, { token });
  } else if (!access.isToken(bearerToken(request))) {
    sendText(response, 401, 'This request needs the token of the running Weir.');
  } else if (request.method === 'POST' && path === '/api/code') {
    if (hasPages) sendJson(response, { code: access.createCode() });
    else sendText(response, 404, 'This Weir was started without an inspector (--no-ui).');
  } else {
    sendText(response, 404, 'There is nothing here.');
  }
}

async function answerPage(
  request: IncomingMessage,
  response: ServerResponse,
  pages: string | null,
  path: string,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendText(response, 405, 'Pages can only be read.', { Allow: 'GET, HEAD' });
    return;
  }
  const file = pages === null ? null : await findStaticFile(pages, path);
  if (file === null) {
    const message =
      path === '/' && pages !== null
        ? 'The inspector is not built. Run `npm run build` once.'
        : 'There is nothing here.';
    sendText(response, 404, message);
    return;
  }
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'Content-Type': file.contentType,
    'Content-Length': file.bytes,
    'Cache-Control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  const stream = file.stream();
  if (request.method === 'HEAD') {
    stream.destroy();
    response.end();
    return;
  }
  stream.on('error', () => response.destroy());
  response.on('close', () => stream.destroy());
  stream.pipe(response);
}

function refuseUpgrade(request: IncomingMessage, access: Access): Refusal | null {
  const refusal = refuseHost(request) ?? refuseForeignSite(request);
  if (refusal !== null) return refusal;
  const [path] = (request.url ?? '').split('?');
  if (path !== '/api/contract') return { status: 400, message: 'The contract is spoken at /api/contract.' };
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  if (!offered.includes(CONTRACT_PROTOCOL)) return { status: 400, message: `Offer the protocol ${CONTRACT_PROTOCOL}.` };
  if (access.isToken(tokenOfProtocols(offered))) return null;
  return { status: 401, message: 'This connection needs the token of the running Weir.' };
}

const REASONS = { 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden' } as const;

function refuseSocket(socket: Duplex, refusal: Refusal): void {
  const body = `${refusal.message}\n`;
  socket.on('error', () => undefined);
  socket.end(
    `HTTP/1.1 ${String(refusal.status)} ${REASONS[refusal.status]}\r\nConnection: close\r\n` +
      `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
  );
}

/** @returns the code; empty when the body is anything else */
async function readCode(request: IncomingMessage): Promise<string> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return '';
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) return '';
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return '';
    chunks.push(chunk);
  }
  try {
    const result = v.safeParse(CODE_BODY, JSON.parse(Buffer.concat(chunks).toString('utf8')));
    return result.success ? result.output.code : '';
  } catch {
    return '';
  }
}

function sendText(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  response.end(`${message}\n`);
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { ...SECURITY_HEADERS, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(value));
}

function listen(server: Server, { host, port }: ControlServerOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve(address);
      else reject(new Error('The control port has no address.'));
    });
  });
}

/** A wildcard address is reached by the loopback one; IPv6 addresses stand in brackets. */
function nameInUrl(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}

async function close(server: Server, sockets: WebSocketServer): Promise<void> {
  for (const socket of sockets.clients) socket.close(1001, 'Weir is ending');
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  // Clients that do not answer the close are not waited for.
  const cut = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
  }, 500);
  server.closeIdleConnections();
  await closed;
  clearTimeout(cut);
}
