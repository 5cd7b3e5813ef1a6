import type { ExchangeId, HeaderField, ReplayOutcome, ReplayRequest } from '#contract';
import { ContractError } from '#contract';
import type { BackendCore } from '../../backend-core.ts';
import type { Answer } from './answer.ts';
import { readCapturedRequest, type CapturedRequest, type CaptureSource } from './captured-request.ts';
import { CookieJar } from './cookie-jar.ts';
import { planRequest, type PlannedRequest } from './plan-request.ts';
import { ReplayGate } from './replay-gate.ts';
import { valueOf, without, type RequestPlace } from './request-parts.ts';

/** As browsers allow (Fetch §4.4). */
const MOST_REDIRECTS = 20;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const CONTENT_FIELDS: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'content-encoding',
  'content-language',
  'content-location',
  'transfer-encoding',
  'expect',
]);
/** What one origin is told is not for another. */
const FOR_ONE_ORIGIN: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'host']);
const HOST: ReadonlySet<string> = new Set(['host']);

/**
 * Sends one request through the engine, and those that its redirects lead to.
 *
 * @throws ContractError `not-found`, `bad-input`, `body-dropped` before anything is sent; `unavailable`, `cancelled`
 */
export async function sendOnce(
  core: BackendCore,
  source: CaptureSource,
  request: ReplayRequest,
  signal: AbortSignal,
): Promise<ReplayOutcome> {
  const captured = request.of === null ? null : await readCapturedRequest(source, request.of);
  const jar = request.cookies === 'followed' ? new CookieJar() : null;
  const gate = new ReplayGate(core, request.of, true, signal);
  try {
    return await followed(gate, { request, captured, jar });
  } finally {
    await gate.close();
  }
}

interface Job {
  readonly request: ReplayRequest;
  readonly captured: CapturedRequest | null;
  readonly jar: CookieJar | null;
}

async function followed(gate: ReplayGate, { request, captured, jar }: Job): Promise<ReplayOutcome> {
  const exchanges: ExchangeId[] = [];
  let next = request;
  for (let redirects = 0; ; redirects += 1) {
    const planned = planRequest(next, captured, jar);
    const { answer, exchange, problem } = await sendPlanned(gate, planned);
    if (exchange !== null) exchanges.push(exchange);
    if (answer === null) return { exchanges, status: null, problem };
    jar?.learn(planned.place, answer.fields, Date.now());
    const location =
      request.followRedirects && REDIRECTS.has(answer.status) ? valueOf(answer.fields, 'location') : null;
    if (location === null) return { exchanges, status: answer.status, problem: null };
    if (redirects === MOST_REDIRECTS) {
      return { exchanges, status: answer.status, problem: `Stopped after ${String(MOST_REDIRECTS)} redirects.` };
    }
    const url = URL.parse(location, urlOf(planned.place));
    if (url === null || !/^https?:$/.test(url.protocol)) {
      const problem = `The redirect leads to ${JSON.stringify(location)}, which is no http or https URL.`;
      return { exchanges, status: answer.status, problem };
    }
    next = redirected(next, planned, answer.status, url);
  }
}

/** An answer that did not come is a problem to tell, and a row like any other: the engine recorded why. */
async function sendPlanned(
  gate: ReplayGate,
  planned: PlannedRequest,
): Promise<{ answer: Answer | null; exchange: ExchangeId | null; problem: string | null }> {
  const connection = await gate.open(planned);
  let answer: Answer | null = null;
  let problem: string | null = null;
  try {
    answer = await connection.send(planned);
  } catch (error: unknown) {
    if (error instanceof ContractError) throw error;
    problem = error instanceof Error ? error.message : String(error);
  }
  return { answer, exchange: await connection.recorded(), problem };
}

function urlOf({ scheme, authority, target }: RequestPlace): string {
  return `${scheme}://${authority}${target}`;
}

/** The request that follows a redirect (RFC 9110 §15.4, Fetch §4.4). */
function redirected(request: ReplayRequest, planned: PlannedRequest, status: number, url: URL): ReplayRequest {
  const { place, method } = planned;
  const becomesGet =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((status === 301 || status === 302) && method === 'POST');
  const sameOrigin = url.origin === `${place.scheme}://${place.authority}`;
  let headers: readonly HeaderField[] = without(planned.fields, sameOrigin ? HOST : FOR_ONE_ORIGIN);
  if (becomesGet) headers = without(headers, CONTENT_FIELDS);
  const { setHeaders: _, ...kept } = request;
  return {
    ...kept,
    // What was captured goes to where it was captured; elsewhere ALPN decides.
    version: request.version === 'captured' && !sameOrigin ? 'auto' : request.version,
    method: becomesGet ? 'GET' : method,
    url: url.href.replace(/#.*$/s, ''),
    headers,
    ...(becomesGet ? { body: new Uint8Array(0) } : {}),
  };
}
