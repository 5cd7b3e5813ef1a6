import type { MessagePortMain } from 'electron';
import type { ContractClient } from '../contract/client.ts';
import { createContractClient } from '../contract/client.ts';
import type { ServerFrame } from '../contract/wire.ts';

/** Main's own connection to the backend, over one end of a channel as windows get it. */
export function connectOwnClient(port: MessagePortMain): ContractClient {
  return createContractClient({
    send: (frame) => {
      port.postMessage(frame);
    },
    onFrame: (listener) => {
      port.on('message', ({ data }) => {
        // It comes from our own backend; frames are typed by the same contract.
        listener(data as ServerFrame);
      });
      port.start();
    },
    onClose: (listener) => {
      port.on('close', listener);
    },
    close: () => {
      port.close();
    },
  });
}
