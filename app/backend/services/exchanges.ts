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
  | 'exchanges.exportCurl'
  | 'exchanges.ids'
  | 'exchanges.mark'
  | 'exchanges.comment'
  | 'exchanges.remove'
  | 'exchanges.restore';

export function createExchangeCalls({ store }: BackendCore): Pick<CallHandlers, ExchangeCall> {
  return {
    'exchanges.query': (input, { signal }) => store.read('query', input, signal),
    'exchanges.queryAt': (input, { signal }) => store.read('queryAt', input, signal),
    'exchanges.count': (input, { signal }) => store.read('count', input, signal),
    'exchanges.indexOf': (input, { signal }) => store.read('indexOf', input, signal),
    'exchanges.ids': (input, { signal }) => store.read('ids', input, signal),
    'exchanges.mark': (input) => store.write('mark', input),
    'exchanges.comment': (input) => store.write('comment', input),
    'exchanges.remove': (input) => store.write('remove', input),
    'exchanges.restore': (input) => store.write('restore', input),
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
