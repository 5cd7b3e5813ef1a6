import type { InternalPage } from '../model/engine-config.ts';
import type { ErrorCode, ExchangeError } from '../model/error-code.ts';

/** An error answer's type and body. */
export interface ErrorPage {
  readonly contentType: string;
  readonly body: Buffer;
}

/** What a person can do about a failure; the first entry whose prefix the code begins with. */
const ADVICE: readonly (readonly [prefix: string, title: string, advice: string])[] = [
  [
    'dns.not-found',
    'This name does not exist',
    'Check the spelling of the host. If it only exists in a private network, make sure that this machine is connected to it.',
  ],
  [
    'dns.timeout',
    'The name server did not answer',
    'Check the network connection and the DNS settings of this machine, then try again.',
  ],
  [
    'dns.',
    'The name could not be looked up',
    'Check the network connection and the DNS settings of this machine, then try again.',
  ],
  [
    'connect.refused',
    'The origin refused the connection',
    'Check that the server is running and that the port is right.',
  ],
  [
    'connect.timeout',
    'The origin did not answer',
    'Check that the server is reachable from this machine (firewall, VPN), or raise the connect timeout in the settings.',
  ],
  [
    'connect.',
    'The origin could not be reached',
    'Check the network connection of this machine and the address of the server.',
  ],
  [
    'tls.origin-self-signed',
    'The origin uses a self-signed certificate',
    'If you trust this server, choose "Trust this host" in Weir, or add its certificate with --origin-ca.',
  ],
  [
    'tls.origin-untrusted',
    'The origin\u2019s certificate is not trusted',
    'If you trust its issuer, add the issuer\u2019s certificate with --origin-ca or in the settings.',
  ],
  [
    'tls.origin-expired',
    'The origin\u2019s certificate has expired',
    'The server\u2019s owner must renew it. If you trust this server anyway, choose "Trust this host" in Weir.',
  ],
  [
    'tls.origin-not-yet-valid',
    'The origin\u2019s certificate is not valid yet',
    'Check the clock of this machine; otherwise the server\u2019s owner must install a valid certificate.',
  ],
  [
    'tls.origin-name-mismatch',
    'The origin\u2019s certificate is for another name',
    'Check the host name. If you trust this server anyway, choose "Trust this host" in Weir.',
  ],
  [
    'tls.origin-wants-certificate',
    'The origin asks for a client certificate',
    'Add one for this host in the settings of Weir, or pass the host through, so that the client presents its own.',
  ],
  [
    'http2.malformed-response',
    'The origin\u2019s answer is malformed',
    'The server breaks a rule of HTTP/2. Its owner must mend it.',
  ],
  [
    'http2.origin-connection',
    'The HTTP/2 connection to the origin failed',
    'Try again. If it goes on, the server or something before it ends its connections in the middle of exchanges.',
  ],
  [
    'http2.refused',
    'The origin refused the request',
    'It did not look at the request and may be overloaded or shutting down. Try again.',
  ],
  [
    'http2.no-extended-connect',
    'The origin cannot be asked to switch protocols',
    'It speaks HTTP/2 alone and does not offer extended CONNECT (RFC 8441). Switch that on at the origin, or reach it by HTTP/1.1.',
  ],
  [
    'websocket.accept',
    'The origin did not answer the handshake',
    'Its Sec-WebSocket-Accept does not belong to the key that it was sent. Something in front of the origin may have answered from a cache.',
  ],
  ['http2.reset', 'The origin gave the request up', 'It reset the stream of this request. Its log may say why.'],
  [
    'tls.client-certificate',
    'The client certificate for this host cannot be used',
    'Remove it in the settings of Weir and add it again.',
  ],
  [
    'client.credentials',
    'This proxy asks for a user and a password',
    'Give them to the program, or change them in the settings of Weir.',
  ],
  [
    'client.not-approved',
    'This device is not allowed to use Weir yet',
    'Allow it in the notice of Weir\u2019s window, then try again.',
  ],
  [
    'client.forbidden-address',
    'This address is for Weir\u2019s own machine alone',
    'Give the service an address in the network, or put a reverse listener in front of it.',
  ],
  ['upstream-proxy.', 'The upstream proxy failed', 'Check the upstream proxy in the settings of Weir.'],
  ['loop.marker', 'The request came back to Weir', 'Check whether the upstream proxy uses Weir as its own.'],
  [
    'tls.',
    'The secure connection to the origin failed',
    'Check that the port speaks TLS and which versions the server supports.',
  ],
  ['timeout.', 'It took too long', 'Try again, or raise the timeout that the message names in the settings.'],
  [
    'http1.request',
    'The request is malformed',
    'The client program must be mended; Weir refuses what two servers could read differently.',
  ],
  [
    'http1.status-line',
    'The origin\u2019s answer is malformed',
    'The server must be mended; Weir refuses what two clients could read differently.',
  ],
  [
    'http1.response',
    'The origin\u2019s answer is malformed',
    'The server must be mended; Weir refuses what two clients could read differently.',
  ],
  [
    'http1.unexpected-101',
    'The origin switched protocols unasked',
    'The server must be mended: it answered 101 to a request without Upgrade.',
  ],
  [
    'http1.',
    'The request is malformed',
    'The client program must be mended; Weir refuses what two servers could read differently.',
  ],
  [
    'origin.closed-early',
    'The origin closed the connection',
    'Try again. If it happens each time, look into the server\u2019s log.',
  ],
  ['loop.', 'The request would come back to Weir', 'Ask for another address: this one is Weir\u2019s own listener.'],
  ['weir.stopped', 'Weir is stopping', 'Try again when it has started again.'],
];
const OTHERWISE = ['', 'The request failed', 'Look at this exchange in Weir for the details.'] as const;

/** Title and next step for a failure, in words for a person. */
export function explain(code: ErrorCode): { readonly title: string; readonly advice: string } {
  const [, title, advice] = ADVICE.find(([prefix]) => code.startsWith(prefix)) ?? OTHERWISE;
  return { title, advice };
}

/**
 * The answer to a request that failed: JSON for programs that ask for it, else a page that needs nothing from anywhere.
 *
 * @param accept the request's Accept field, or null
 */
export function errorPage(error: ExchangeError, url: string, accept: string | null): ErrorPage {
  const { title, advice } = explain(error.code);
  if (wantsJson(accept)) {
    const body = {
      error: { code: error.code, side: error.side, phase: error.phase, title, message: error.message, advice, url },
    };
    return { contentType: 'application/json; charset=utf-8', body: Buffer.from(`${JSON.stringify(body, null, 2)}\n`) };
  }
  return { contentType: 'text/html; charset=utf-8', body: Buffer.from(htmlPage(title, advice, error, url)) };
}

/** What a visit to Weir itself gets when there is no such page. */
export function notFoundPage(path: string): InternalPage {
  const body = `Weir has no page ${path}.\nGo to http://weir.test/ for what it has.\n`;
  return { status: 404, contentType: 'text/plain; charset=utf-8', fileName: null, body: Buffer.from(body) };
}

/** JSON is preferred when it is named and HTML is not. */
function wantsJson(accept: string | null): boolean {
  if (accept === null) return false;
  const lower = accept.toLowerCase();
  return /[/+]json\b/.test(lower) && !lower.includes('text/html');
}

function htmlPage(title: string, advice: string, error: ExchangeError, url: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText; }
main { max-width: 36rem; padding: 2rem; }
h1 { font-size: 1.4rem; margin: 0 0 .75rem; }
code { font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
footer { margin-top: 1.5rem; padding-top: .75rem; border-top: 1px solid color-mix(in srgb, CanvasText 20%, transparent); font-size: .875rem; opacity: .75; }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(error.message)}</p>
<p>${escapeHtml(advice)}</p>
<p><code>${escapeHtml(url)}</code></p>
<footer>Answered by Weir, not by the site. Code <code>${escapeHtml(error.code)}</code></footer>
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
