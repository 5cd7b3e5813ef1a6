import { createContractClient } from '#contract';
import type { Carrier, ClientFrame, ContractClient, ServerFrame } from '#contract';
import type { PageHello, PageNews } from '../../contract/desktop.ts';

/** A backend that starts takes this long at most; then the page asks again, milliseconds. */
const PATIENCE_MILLISECONDS = 5_000;

/**
 * Connects over the message port that the preload script hands out.
 * @throws Error while the backend is down; the shell starts it again
 */
export async function connectElectron(): Promise<ContractClient> {
  const port = await askForPort();
  return createContractClient(createPortCarrier(port));
}

function askForPort(): Promise<MessagePort> {
  return new Promise((resolve, reject) => {
    const listening = new AbortController();
    const { signal } = listening;
    const timer = setTimeout(() => {
      listening.abort();
      reject(new Error('The backend does not answer.'));
    }, PATIENCE_MILLISECONDS);
    window.addEventListener(
      'message',
      (event: MessageEvent<Partial<PageNews> | null>) => {
        if (event.source !== window) return;
        const [port] = event.ports;
        if (event.data?.type === 'weir:port' && port !== undefined) {
          listening.abort();
          clearTimeout(timer);
          resolve(port);
        }
      },
      { signal },
    );
    const hello: PageHello = { type: 'weir:hello' };
    window.postMessage(hello, location.origin);
  });
}

/** A port does not always say that its other end is gone (a killed process), so the shell's word counts too. */
function createPortCarrier(port: MessagePort): Carrier<ClientFrame, ServerFrame> {
  const closing = new AbortController();
  let onClosed: (() => void) | null = null;
  const end = (): void => {
    if (closing.signal.aborted) return;
    closing.abort();
    port.close();
    onClosed?.();
  };
  port.addEventListener('close', end);
  window.addEventListener(
    'message',
    (event: MessageEvent<Partial<PageNews> | null>) => {
      if (event.source === window && event.data?.type === 'weir:backend') end();
    },
    { signal: closing.signal },
  );
  return {
    send(frame) {
      port.postMessage(frame);
    },
    onFrame(listener) {
      port.addEventListener('message', (event: MessageEvent<ServerFrame>) => {
        // The port comes from our own shell; frames are typed by the same contract.
        listener(event.data);
      });
      port.start();
    },
    onClose(listener) {
      onClosed = listener;
    },
    close: end,
  };
}
