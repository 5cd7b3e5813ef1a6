import type { BeginRecord } from '../capture/tap.ts';
import type { AnomalyCode } from '../model/anomaly-code.ts';
import type { InternalPage } from '../model/engine-config.ts';
import type { ExchangeError } from '../model/error-code.ts';
import {
  formatAuthority,
  parseAuthority,
  type RequestHead,
  type RequestHeadChanges,
  type RequestTarget,
} from '../protocol/http1/index.ts';
import type { ExchangeHead } from './broken-head.ts';
import type { ClientEntry, FixedDestination } from './client-entry.ts';
import type { PipelineContext } from './context.ts';
import { failure } from './failures.ts';
import { notFoundPage } from './error-page.ts';
import type { OriginRoute } from './origins.ts';
import { showsCredentials } from './proxy-credentials.ts';

/** The host that Weir answers itself when it is asked for through the proxy. */
export const MAGIC_HOST = 'weir.test';

/** What is to be done with a request. */
export type RequestAction =
  | { readonly kind: 'forward'; readonly route: OriginRoute; readonly sentHead: Buffer; readonly upgrades: boolean }
  | { readonly kind: 'page'; readonly page: InternalPage }
  /** `Max-Forwards` ended here (RFC 9110 §7.6.2). */
  | { readonly kind: 'last-hop' }
  | { readonly kind: 'connect'; readonly host: string; readonly port: number; readonly via: string }
  | { readonly kind: 'refuse'; readonly error: ExchangeError };

/** What to do with a request, and where its row says that it goes. */
export interface RequestPlan {
  readonly action: RequestAction;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly anomaly: AnomalyCode | null;
}

/** What a plan is made of, whichever version of HTTP it came by. */
export type PlannableHead = ExchangeHead & Pick<RequestHead, 'destination' | 'has'>;

/** Writes the head for an HTTP/1 origin; others translate that. */
export type WriteHead<Head extends PlannableHead> = (head: Head, changes: RequestHeadChanges) => Buffer;

const ANYBODY = { restricted: false };
const RESTRICTED = { restricted: true };
/** Instances of Weir behind each other; a longer chain than anybody has. */
const MOST_MARKS = 16;
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

/** Decides where a request goes, from the connection that it came on and its target (RFC 9112 §3.2). */
export function planRequest<Head extends PlannableHead>(
  context: PipelineContext,
  entry: ClientEntry,
  head: Head,
  write: WriteHead<Head>,
): RequestPlan {
  const { destination, refusal } = entry;
  if (refusal !== null) return planRefused(entry, head.target, refusal);
  return destination === null
    ? planProxied(context, entry, head, write)
    : planFixed(context, entry, head, destination, write);
}

/** The row of a request that is refused before anything is known of its destination. */
export function planRefused(entry: ClientEntry, path: string, error: ExchangeError): RequestPlan {
  const { destination } = entry;
  return {
    action: { kind: 'refuse', error },
    scheme: destination?.route.scheme ?? 'http',
    host: destination?.host ?? '',
    port: destination?.route.port ?? 0,
    path,
    anomaly: null,
  };
}

/** Kind of the row: an upgrade to WebSocket is one from its beginning, whatever becomes of it. */
export function rowKind(head: ExchangeHead): BeginRecord['kind'] {
  return head.upgrade !== null && head.upgrade.toLowerCase() === 'websocket' ? 'websocket' : 'http';
}

/** A full URL for a person. */
export function planUrl(plan: RequestPlan): string {
  return plan.host === ''
    ? plan.path
    : `${plan.scheme}://${formatAuthority(plan.host, plan.port, plan.scheme)}${plan.path}`;
}

function planProxied<Head extends PlannableHead>(
  context: PipelineContext,
  entry: ClientEntry,
  head: Head,
  write: WriteHead<Head>,
): RequestPlan {
  const target = head.destination;
  if (target.form === 'authority') {
    const port = target.port ?? HTTPS_PORT;
    const error =
      entry.onConnect === null
        ? failure('http1.target', 'CONNECT is not possible here.')
        : (checkPass(context, head) ?? checkLoop(context, head));
    const action =
      error === null
        ? { kind: 'connect' as const, host: target.host, port, via: receivedMarks(context, head) }
        : refuse(error);
    return { action, scheme: 'https', host: target.host, port, path: '', anomaly: null };
  }
  // Without a scheme it is a plain visit to our own port.
  if (target.form !== 'absolute' || target.host === MAGIC_HOST) return planInternal(context, 'http', target.path);
  const scheme = target.scheme ?? 'http';
  const route = context.origins.route(
    scheme,
    target.host,
    target.port ?? (scheme === 'http' ? HTTP_PORT : HTTPS_PORT),
    entry.restricted ? RESTRICTED : ANYBODY,
  );
  const hostField = target.differsFromHost || !head.has('host') ? target.authority : null;
  const error = checkPass(context, head);
  return {
    action: error === null ? forward(context, entry, head, write, route, target.path, hostField, false) : refuse(error),
    scheme,
    host: route.host,
    port: route.port,
    path: target.path,
    anomaly: null,
  };
}

function planFixed<Head extends PlannableHead>(
  context: PipelineContext,
  entry: ClientEntry,
  head: Head,
  destination: FixedDestination,
  write: WriteHead<Head>,
): RequestPlan {
  const { route } = destination;
  const { scheme, port } = route;
  if (head.destination.form === 'authority') {
    return planRefused(
      entry,
      head.target,
      failure('http1.target', 'CONNECT is for proxies; this connection already leads to one origin.'),
    );
  }
  let path = head.target;
  let hostField = destination.hostField;
  let anomaly: AnomalyCode | null = null;
  if (!path.startsWith('/') && path !== '*') {
    const target = head.destination;
    path = target.path;
    if (destination.hostField === null) {
      if (!namesDestination(target, destination)) {
        const message = `The request names ${target.authority}, but this connection leads to ${destination.host}.`;
        return planRefused(entry, head.target, failure('http1.target', message));
      }
      if (target.differsFromHost) {
        hostField = target.authority;
      }
    }
  } else if (destination.hostField === null && namesAnotherHost(head, destination)) {
    anomaly = 'authority-differs-from-sni';
  }
  if (destination.internal) return planInternal(context, scheme, path);
  if (destination.basePath !== '' && path !== '*') path = destination.basePath + path;
  return {
    action: forward(context, entry, head, write, route, path, hostField, true),
    scheme,
    host: destination.host,
    port,
    path,
    anomaly,
  };
}

function namesDestination(target: RequestTarget, destination: FixedDestination): boolean {
  return target.host === destination.host || target.host === destination.route.host;
}

function namesAnotherHost(head: PlannableHead, destination: FixedDestination): boolean {
  const field = head.get('host');
  if (field === null || field === destination.host || destination.route.scheme === 'http') return false;
  const named = parseAuthority(field);
  return named !== null && named.host !== destination.host && named.host !== destination.route.host;
}

function forward<Head extends PlannableHead>(
  context: PipelineContext,
  entry: ClientEntry,
  head: Head,
  write: WriteHead<Head>,
  route: OriginRoute,
  path: string,
  hostField: string | null,
  keepProxyAuthorization: boolean,
): RequestAction {
  let maxForwards: number | null = null;
  if (head.method === 'TRACE' || head.method === 'OPTIONS') {
    maxForwards = readMaxForwards(head);
    if (maxForwards === 0) return { kind: 'last-hop' };
    if (maxForwards !== null) maxForwards -= 1;
  }
  const loop = checkLoop(context, head);
  if (loop !== null) return refuse(loop);
  const upgrades = head.upgrade !== null && head.upgrade.toLowerCase() !== 'h2c';
  if (route.forwardLines !== null && upgrades)
    return forward(context, entry, head, write, tunnelled(context, route), path, hostField, keepProxyAuthorization);
  const target = route.forwardLines === null ? path : absoluteForm(route, path);
  const sentHead = write(head, {
    target: target === head.target ? null : target,
    host: hostField,
    relayUpgrade: upgrades,
    keepProxyAuthorization: keepProxyAuthorization && route.forwardLines === null,
    close: false,
    maxForwards,
    appendedLines:
      (context.settings.forwardedFields ? forwardedLines(entry, head, route) : '') + (route.forwardLines ?? ''),
  });
  return { kind: 'forward', route, sentHead, upgrades };
}

/** The same place by a tunnel: a proxy that forwards requests rarely passes an upgrade on. */
function tunnelled({ origins }: PipelineContext, { scheme, host, port, restricted, via }: OriginRoute): OriginRoute {
  return origins.route(scheme, host, port, { restricted, via, tunnelled: true });
}

/** The target for an upstream proxy; `*` becomes a URL without a path (RFC 9112 §3.2.4). */
function absoluteForm({ scheme, host, port }: OriginRoute, path: string): string {
  return `${scheme}://${formatAuthority(host, port, scheme)}${path === '*' ? '' : path}`;
}

function refuse(error: ExchangeError): RequestAction {
  return { kind: 'refuse', error };
}

/** Whether a client of the proxy has shown what it is asked for (RFC 9110 §11.7); null when it may pass. */
function checkPass({ settings }: PipelineContext, head: PlannableHead): ExchangeError | null {
  const wanted = settings.proxyAuthentication;
  if (wanted === null || showsCredentials(head.get('proxy-authorization'), wanted)) return null;
  return failure('client.credentials', 'This proxy asks for a user and a password (setting proxyAuthentication).');
}

/** Whether a request has been here before (RFC 9110 §7.6.3). */
function checkLoop({ loopMarker }: PipelineContext, head: PlannableHead): ExchangeError | null {
  if (loopMarker === null || !(head.get('via') ?? '').includes(loopMarker)) return null;
  return failure('loop.marker', 'The request came back through an upstream proxy; it would go round for ever.');
}

/** The marks of other instances of Weir, which go on with whatever comes out of a tunnel. */
function receivedMarks({ loopMarker }: PipelineContext, head: PlannableHead): string {
  if (loopMarker === null) return '';
  const members = (head.get('via') ?? '').split(',').map((member) => member.trim());
  return members
    .filter((member) => /^1\.1 weir-[\w-]{1,64}$/.test(member))
    .slice(0, MOST_MARKS)
    .join(', ');
}

function readMaxForwards(head: PlannableHead): number | null {
  const value = head.get('max-forwards');
  return value !== null && /^\d{1,9}$/.test(value) ? Number.parseInt(value, 10) : null;
}

function forwardedLines(entry: ClientEntry, head: PlannableHead, route: OriginRoute): string {
  const address = entry.address.slice(0, entry.address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  const host = head.get('host');
  return `Via: ${entry.protocol === null ? `1.${String(head.minorVersion)}` : '2'} weir\r\nX-Forwarded-For: ${address}\r\nX-Forwarded-Proto: ${route.scheme}\r\n${host === null ? '' : `X-Forwarded-Host: ${host}\r\n`}`;
}

function planInternal(context: PipelineContext, scheme: 'http' | 'https', path: string): RequestPlan {
  const query = path.indexOf('?');
  const pages = context.settings.internalPages;
  const name = query === -1 ? path : path.slice(0, query);
  const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
  return {
    action: { kind: 'page', page: page ?? notFoundPage(name) },
    scheme,
    host: MAGIC_HOST,
    port: scheme === 'http' ? HTTP_PORT : HTTPS_PORT,
    path,
    anomaly: null,
  };
}
