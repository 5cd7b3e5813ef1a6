import { ContractError, createContractClient } from '#contract';
import type { Carrier, ClientFrame, ContractClient, ServerFrame } from '#contract';
import type { FileAnswer, FileRequest, OfferedFile, PageHello, PageNews } from '../../contract/desktop.ts';
import type { ImportSource } from '../model/imports.svelte.ts';

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

/**
 * Listens for files that the system opened with Weir, for as long as the page lives.
 * @param take gets each that can be read
 * @param refuse gets for a person why one cannot
 */
export function receiveFiles(take: (source: ImportSource) => void, refuse: (message: string) => void): void {
  window.addEventListener('message', ({ source, data: news, ports }: MessageEvent<PageNews | null | undefined>) => {
    if (source !== window || typeof news !== 'object' || news === null) return;
    const [port] = ports;
    if (news.type === 'weir:file' && port !== undefined) take(createPortSource(news.file, port));
    if (news.type === 'weir:file-refused') refuse(news.message);
  });
}

/** A file that main reads for this page, over the port that came along. */
function createPortSource({ name, bytes }: OfferedFile, port: MessagePort): ImportSource {
  let waiting: PromiseWithResolvers<Uint8Array> | null = null;
  const send = (request: FileRequest): void => {
    port.postMessage(request);
  };
  port.addEventListener('message', ({ data: answer }: MessageEvent<FileAnswer>) => {
    if (answer.type === 'piece') waiting?.resolve(answer.bytes);
    else waiting?.reject(new ContractError('unavailable', `${name}: ${answer.message}`));
  });
  port.addEventListener('close', () => {
    waiting?.reject(new ContractError('unavailable', `${name} can no longer be read.`));
  });
  port.start();
  return {
    name,
    size: bytes,
    // Pieces come as long as main sends them; the backend takes as much at once.
    read: (at) => {
      waiting = Promise.withResolvers();
      send({ type: 'read', at });
      return waiting.promise;
    },
    close: (cancelled) => {
      send({ type: cancelled ? 'cancel' : 'done' });
      port.close();
    },
  };
}
