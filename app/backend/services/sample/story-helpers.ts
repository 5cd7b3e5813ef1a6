import type { ErrorCode, ExchangeError, HeaderField } from '#contract';
import { ERROR_CODES } from '#contract';
import type { Random } from './random.ts';
import type { Phases, SampleClient, ScriptedBody, ScriptedResponse } from './script.ts';

const AGENTS: Readonly<Record<SampleClient, string>> = {
  browser: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36',
  app: 'WeirShop/4.2 (Android 16)',
  terminal: 'curl/8.14.1',
  watcher: 'StockWatcher/1.0',
};

/** Fields that every request of a client carries, as that client orders them. */
export function clientFields(client: SampleClient, accept: string): readonly HeaderField[] {
  if (client === 'terminal')
    return [
      ['User-Agent', AGENTS.terminal],
      ['Accept', accept],
    ];
  if (client !== 'browser')
    return [
      ['accept', accept],
      ['user-agent', AGENTS[client]],
      ['accept-encoding', 'gzip, br'],
    ];
  return [
    ['Connection', 'keep-alive'],
    ['sec-ch-ua', '"Chromium";v="153", "Not?A_Brand";v="24"'],
    ['sec-ch-ua-mobile', '?0'],
    ['sec-ch-ua-platform', '"Linux"'],
    ['User-Agent', AGENTS.browser],
    ['Accept', accept],
    ['Sec-Fetch-Site', 'same-site'],
    ['Accept-Encoding', 'gzip, deflate, br, zstd'],
    ['Accept-Language', 'en-GB,en;q=0.9,de;q=0.7'],
    ['Cookie', 'cart=crt_8Q2ZK; theme=dark; consent=necessary'],
  ];
}

/** A text body; compact JSON when it is not a string. */
export function textBody(content: string | object, more: Omit<ScriptedBody, 'bytes'> = {}): ScriptedBody {
  return { bytes: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)), ...more };
}

/** A response with the fields that the shop's origins always send, the date of the story included. */
export function answer(
  status: number,
  reason: string,
  type: string | null,
  headers: readonly HeaderField[] = [],
  body?: ScriptedBody,
): ScriptedResponse {
  const base: HeaderField[] = [
    ['Server', 'weir-shop'],
    ['Date', 'Mon, 15 Jun 2026 09:30:00 GMT'],
  ];
  if (type !== null) base.push(['Content-Type', type]);
  return {
    status,
    reason,
    headers: [...base, ...headers],
    hopByHop: [['Keep-Alive', 'timeout=75']],
    ...(body === undefined ? {} : { body }),
  };
}

/** An answer with JSON, compressed with brotli unless said otherwise. */
export function jsonAnswer(
  content: object,
  headers: readonly HeaderField[] = [],
  more: Omit<ScriptedBody, 'bytes'> = { coding: 'br' },
): ScriptedResponse {
  return answer(200, 'OK', 'application/json; charset=utf-8', headers, textBody(content, more));
}

/** Phases of a request on a connection that stands. */
export function warm(random: Random, wait: number, receive: number): Phases {
  return {
    send: 0.1 + random.next() * 0.4,
    wait: wait * (0.8 + random.next() * 0.4),
    receive: receive * (0.8 + random.next() * 0.4),
  };
}

/** Phases of the first request to an origin. */
export function cold(random: Random, wait: number, receive: number): Phases {
  return {
    dns: 1 + random.next() * 6,
    connect: 4 + random.next() * 9,
    tls: 12 + random.next() * 14,
    ...warm(random, wait, receive),
  };
}

/** A failure with the side and phase that its code stands for. */
export function failure(code: ErrorCode, message: string): ExchangeError {
  const { side, phase } = ERROR_CODES[code];
  return { code, side, phase, message };
}
