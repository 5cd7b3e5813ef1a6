import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers, StreamHandlers } from '../transport/server.ts';

type MessageCall = 'frames.page' | 'messages.page' | 'messages.find' | 'messages.read' | 'exchanges.llm';

export function createMessageCalls({ store }: BackendCore): Pick<CallHandlers, MessageCall> {
  return {
    'frames.page': (input, { signal }) => store.read('framePage', input, signal),
    'messages.page': (input, { signal }) => store.read('messagePage', input, signal),
    'messages.find': (input, { signal }) => store.read('messageFind', input, signal),
    'messages.read': (input, { signal }) => store.read('messageRead', input, signal),
    'exchanges.llm': (input, { signal }) => store.read('llm', input, signal),
  };
}

export function createMessageStreams({ messages }: BackendCore): Pick<StreamHandlers, 'messages.added'> {
  return {
    'messages.added'({ exchange }, sink, { signal }) {
      const stop = messages.watch(exchange, (message) => {
        sink.push(message);
      });
      signal.addEventListener('abort', stop, { once: true });
    },
  };
}
