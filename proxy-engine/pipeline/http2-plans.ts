import type { Http2Head } from '../protocol/http2/index.ts';
import type { ClientEntry } from './client-entry.ts';
import type { PipelineContext } from './context.ts';
import { Http2Request, writeHttp1Request } from './http2-heads.ts';
import { planRequest, type RequestPlan } from './plan-request.ts';

/** Plans that are kept; as many as heads are by the connection. */
const KEPT = 4;
/** A plan is made anew after this, so that routes are seen to be in use, ms of the coarse clock. */
const KEPT_MS = 1_000;

/** A request of HTTP/2 and what is to be done with it. */
export interface PlannedRequest {
  readonly request: Http2Request;
  readonly plan: RequestPlan;
}

interface KeptPlan extends PlannedRequest {
  readonly settings: PipelineContext['settings'];
  /** Coarse milliseconds. */
  readonly until: number;
}

/** Plans the requests of one client connection. A head that comes again, as the same object, is planned once. */
export class Http2Plans {
  readonly #context: PipelineContext;
  readonly #entry: ClientEntry;
  readonly #kept: KeptPlan[] = [];
  #next = 0;

  constructor(context: PipelineContext, entry: ClientEntry) {
    this.#context = context;
    this.#entry = entry;
  }

  /** @param hasBody the head did not end the stream, and what follows is a body */
  plan(head: Http2Head, hasBody: boolean): PlannedRequest {
    const { clock, settings } = this.#context;
    for (const kept of this.#kept) {
      const { request, until } = kept;
      if (request.head === head && request.hasBody === hasBody && until > clock.coarse && kept.settings === settings)
        return kept;
    }
    const key = head.protocol.toLowerCase() === 'websocket' ? this.#context.webSocketKey() : null;
    const request = new Http2Request(head, hasBody, key);
    const plan = planRequest(this.#context, this.#entry, request, writeHttp1Request);
    const planned = { request, plan, settings, until: clock.coarse + KEPT_MS };
    // A handshake's key is for one use.
    if (key !== null) return planned;
    this.#kept[this.#next] = planned;
    this.#next = (this.#next + 1) % KEPT;
    return planned;
  }
}
