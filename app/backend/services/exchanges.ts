import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers, StreamHandlers } from '../transport/server.ts';

type ExchangeCall =
  | 'exchanges.query'
  | 'exchanges.queryAt'
  | 'exchanges.count'
  | 'exchanges.indexOf'
  | 'exchanges.get'
  | 'exchanges.readBody'
  | 'exchanges.readRaw'
  | 'exchanges.exportCurl';

export function createExchangeCalls({ store }: BackendCore): Pick<CallHandlers, ExchangeCall> {
  return {
    'exchanges.query': (input, { signal }) => store.read('query', input, signal),
    'exchanges.queryAt': (input, { signal }) => store.read('queryAt', input, signal),
    'exchanges.count': (input, { signal }) => store.read('count', input, signal),
    'exchanges.indexOf': (input, { signal }) => store.read('indexOf', input, signal),
    'exchanges.get': (input, { signal }) => store.read('get', input, signal),
    'exchanges.readBody': (input, { signal }) => store.read('readBody', input, signal),
    'exchanges.readRaw': (input, { signal }) => store.read('readRaw', input, signal),
    'exchanges.exportCurl': (input, { signal }) => store.read('exportCurl', input, signal),
  };
}

export function createExchangeStreams({ changes }: BackendCore): Pick<StreamHandlers, 'exchanges.changed'> {
  return {
    'exchanges.changed'({ session }, sink, { signal }) {
      const stop = changes.watch(session, (exchange) => {
        sink.push(exchange);
      });
      signal.addEventListener('abort', stop, { once: true });
    },
  };
}
