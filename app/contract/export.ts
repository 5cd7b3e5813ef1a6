import type { ExchangeId, SessionId } from '../../proxy-engine/model/ids.ts';

/** What is blanked in a file that leaves. Names compare without regard to case; empty lists blank nothing. */
export interface Redaction {
  /** Fields of heads and trailers. `cookie` and `set-cookie` keep the names of their cookies, `authorization` its scheme. */
  readonly headers: readonly string[];
  /** Cookies by name; `*` for all. */
  readonly cookies: readonly string[];
  /** Parameters of URLs and of forms in bodies. */
  readonly parameters: readonly string[];
  /** Values in JSON bodies, events and messages: `$.user.name`, `$..token`, `items[*].id`; without `$` at any depth. */
  readonly jsonPaths: readonly string[];
}

export const NO_REDACTION: Redaction = { headers: [], cookies: [], parameters: [], jsonPaths: [] };

/** What carries credentials by the standards, or by a habit that is wide-spread. */
export const USUAL_REDACTION: Redaction = {
  headers: [
    'authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'authentication-info',
    'proxy-authentication-info',
    'x-api-key',
    'x-auth-token',
    'x-csrf-token',
    'x-xsrf-token',
    'x-amz-security-token',
  ],
  cookies: [],
  parameters: [
    'access_token',
    'refresh_token',
    'id_token',
    'token',
    'api_key',
    'apikey',
    'client_secret',
    'password',
    'secret',
    'signature',
    'sig',
    'x-amz-signature',
    'x-amz-security-token',
  ],
  jsonPaths: [],
};

/** Whether anything is blanked at all. */
export function blanksAnything({ headers, cookies, parameters, jsonPaths }: Redaction): boolean {
  return headers.length + cookies.length + parameters.length + jsonPaths.length > 0;
}

export type ExportFormat = 'har' | 'weir';

/** Which exchanges a file holds: these in their order, or those of a session that pass a filter, oldest first. */
export type ExportChoice =
  { readonly ids: readonly ExchangeId[] } | { readonly session: SessionId; readonly filter: string };

/** What a file is made of. */
export interface ExportOrder {
  readonly choice: ExportChoice;
  readonly format: ExportFormat;
  readonly redaction: Redaction;
}

/** An exchange by what people know it by, as it leaves. */
export interface LeavingExchange {
  readonly id: ExchangeId;
  /** The kind where there is none, as for tunnels and relays. */
  readonly method: string;
  /** Shortened in the middle past 1,000 characters. */
  readonly url: string;
}

/** One value that was blanked, as it leaves. */
export interface RedactionSample {
  readonly exchange: LeavingExchange;
  /** `request header`, `response cookie`, `URL parameter` and the like. */
  readonly place: string;
  readonly name: string;
  /** What stands there in the file. */
  readonly leaves: string;
}

/** What leaves, and what of it is blanked. */
export interface RedactionReport {
  readonly exchanges: number;
  /** Of heads and bodies, before the file is packed. */
  readonly bytes: number;
  /** How many hosts there are. */
  readonly hosts: number;
  /** The busiest of them first, at most 20. */
  readonly busiest: readonly { readonly host: string; readonly exchanges: number }[];
  /** How many values are blanked. */
  readonly headers: number;
  readonly cookies: number;
  readonly parameters: number;
  readonly jsonValues: number;
  /** Bodies and messages that should have been searched for JSON values and could not be read: they are left out. */
  readonly leftOut: number;
  /** The first hundred of those. `reason` completes "left out, since …". */
  readonly named: readonly { readonly exchange: LeavingExchange; readonly what: string; readonly reason: string }[];
  /** Bodies and messages that are no JSON and no form, and leave as they are although values in bodies are blanked. */
  readonly otherBodies: number;
  /** One for each place and name, at most twelve. */
  readonly samples: readonly RedactionSample[];
}

/** A preview on its way. The last item is done. */
export interface ExportPreview {
  readonly report: RedactionReport;
  readonly total: number;
  readonly done: boolean;
}

/** Files that a page fetches in pieces. */
export interface ExportCalls {
  /**
   * Begins a file of at most `total` exchanges: what is recorded later stays out. Fails with `bad-input` for a JSON path
   * that cannot be read, and with `bad-filter`.
   */
  'export.begin': { input: ExportOrder; output: { export: number; total: number } };
  /** The next piece, about 256 KiB, and how many exchanges are in the file so far. Fails with `not-found` when it has ended. */
  'export.read': { input: { export: number }; output: { bytes: Uint8Array; exchanges: number; done: boolean } };
  'export.cancel': { input: { export: number }; output: Record<string, never> };
}

export interface ExportStreams {
  /** Reads everything that a file would hold, and says what leaves. Ends with `bad-input` for a wrong JSON path, and with `bad-filter`. */
  'export.preview': { input: ExportOrder; item: ExportPreview };
}
