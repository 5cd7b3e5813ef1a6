import {
  contractProtocols,
  createContractClient,
  createSocketCarrier,
  type AppStatus,
  type ContractClient,
} from '#contract';

/**
 * Connects as the inspector's page does.
 *
 * @param pageUrl of a running Weir, with its one-time code in the fragment
 * @throws when the code is not taken
 */
export async function openInspector(pageUrl: string): Promise<ContractClient> {
  const { origin, hash } = new URL(pageUrl);
  const answer = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: origin },
    body: JSON.stringify({ code: new URLSearchParams(hash.slice(1)).get('code') }),
  });
  if (!answer.ok) throw new Error(`The inspector refused its code with ${String(answer.status)}.`);
  const { token } = (await answer.json()) as { readonly token: string };
  const socket = new WebSocket(`${origin.replace('http:', 'ws:')}/api/contract`, contractProtocols(token));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => {
      resolve();
    });
    socket.addEventListener('error', () => {
      reject(new Error('The inspector does not answer.'));
    });
  });
  return createContractClient(createSocketCarrier(socket));
}

/** What a Weir says about itself now. */
export function statusOf(client: ContractClient): Promise<AppStatus> {
  return new Promise((resolve, reject) => {
    const stream = client.stream(
      'app.status',
      {},
      {
        items: ([status]) => {
          if (status === undefined) return;
          stream.close();
          resolve(status);
        },
        gap: () => undefined,
        ended: (failure) => {
          reject(failure ?? new Error('The status ended without a word.'));
        },
      },
    );
  });
}
