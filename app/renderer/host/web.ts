import { contractProtocols, createContractClient, createSocketCarrier } from '#contract';
import type { ContractClient } from '#contract';
import { RefusedError } from '../model/connection.svelte.ts';

const TOKEN_KEY = 'weir.token';

/**
 * Connects over a WebSocket to the control port that served this page.
 * @throws RefusedError when the port does not know this page's token or code
 * @throws Error when nothing answers
 */
export async function connectWeb(): Promise<ContractClient> {
  const token = await readToken();
  const url = new URL('/api/contract', location.href);
  url.protocol = 'ws:';
  const socket = new WebSocket(url, contractProtocols(token));
  await opened(socket, token);
  return createContractClient(createSocketCarrier(socket));
}

/** The one-time code of the URL's fragment is traded once; the token stays with this tab, so that a reload works. */
async function readToken(): Promise<string> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) {
    const kept = sessionStorage.getItem(TOKEN_KEY);
    if (kept === null) throw new RefusedError('This address holds no code.');
    return kept;
  }
  const answer = await fetch('/api/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  history.replaceState(null, '', location.pathname);
  const traded: unknown = answer.ok ? await answer.json() : null;
  if (!isTraded(traded)) {
    // A reloaded address with its used code: the token of the first time still counts.
    const kept = sessionStorage.getItem(TOKEN_KEY);
    if (kept === null) throw new RefusedError('The code was used before.');
    return kept;
  }
  sessionStorage.setItem(TOKEN_KEY, traded.token);
  return traded.token;
}

function isTraded(answer: unknown): answer is { readonly token: string } {
  return typeof answer === 'object' && answer !== null && 'token' in answer && typeof answer.token === 'string';
}

function opened(socket: WebSocket, token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => {
      resolve();
    });
    socket.addEventListener('close', () => {
      // A browser does not tell why a WebSocket failed, so the port is asked whether it knows the token.
      isRefused(token).then((refused) => {
        reject(refused ? new RefusedError('The token is not taken any more.') : new Error('The connection closed.'));
      }, reject);
    });
  });
}

async function isRefused(token: string): Promise<boolean> {
  const answer = await fetch('/api/code', { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
  if (answer.status !== 401) return false;
  sessionStorage.removeItem(TOKEN_KEY);
  return true;
}
