import type { Carrier, ClientFrame, ServerFrame } from '#contract';
import { ContractError, contractProtocols, createSocketCarrier } from '#contract';
import type { RunningBackend } from './ownership.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects to a backend that runs in another process of this user.
 *
 * @throws ContractError `unavailable` when it does not answer
 */
export function connectToBackend(running: RunningBackend): Promise<Carrier<ClientFrame, ServerFrame>> {
  const url = new URL('api/contract', running.url);
  url.protocol = 'ws:';
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, contractProtocols(running.token));
    const fail = (): void => {
      clearTimeout(timer);
      reject(
        new ContractError(
          'unavailable',
          `The Weir of process ${String(running.pid)} does not answer at ${running.url}`,
        ),
      );
    };
    const timer = setTimeout(() => {
      socket.close();
      fail();
    }, CONNECT_TIMEOUT_MS);
    socket.addEventListener('error', fail, { once: true });
    socket.addEventListener(
      'open',
      () => {
        clearTimeout(timer);
        socket.removeEventListener('error', fail);
        resolve(createSocketCarrier(socket));
      },
      { once: true },
    );
  });
}

/**
 * Asks a running backend for the URL of its inspector, with a new one-time code in the fragment.
 *
 * @returns null when it was started without one
 * @throws ContractError `unavailable` when it does not answer
 */
export async function requestPageUrl(running: RunningBackend): Promise<string | null> {
  try {
    const response = await fetch(new URL('api/code', running.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${running.token}` },
      signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS),
    });
    if (response.status === 404) return null;
    const answer: unknown = await response.json();
    if (typeof answer === 'object' && answer !== null && 'code' in answer && typeof answer.code === 'string') {
      return `${running.url}#code=${answer.code}`;
    }
    throw new Error(`status ${String(response.status)}`);
  } catch (error: unknown) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ContractError('unavailable', `The Weir of process ${String(running.pid)} does not answer: ${reason}`);
  }
}
