import { ContractError } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers, StreamHandlers } from '../transport/server.ts';
import { Conversation, type ConversationSource } from './replay/conversation.ts';

/** WebSockets that people opened, each for as long as its stream is open. */
export class ConversationService {
  readonly #core: BackendCore;
  readonly #source: ConversationSource;
  readonly #open = new Map<number, Conversation>();
  #nextId = 1;

  constructor(core: BackendCore) {
    const { store } = core;
    this.#core = core;
    this.#source = {
      get: (id) => store.read('get', { id }),
      messagePage: (input) => store.read('messagePage', input),
      messageRead: (input) => store.read('messageRead', input),
    };
  }

  readonly calls: Pick<CallHandlers, 'conversation.send' | 'conversation.close'> = {
    'conversation.send': async ({ id, kind, payload }) => {
      await this.#find(id).send(kind, payload);
      return {};
    },
    'conversation.close': ({ id, code, reason }) => {
      this.#find(id).close(code, reason);
      return {};
    },
  };

  readonly streams: Pick<StreamHandlers, 'conversation.open'> = {
    'conversation.open': (request, sink, { signal }) => {
      const id = this.#nextId++;
      const conversation = new Conversation(id, this.#core, this.#source, request, (state) => {
        sink.push(state);
      });
      this.#open.set(id, conversation);
      conversation
        .run(signal)
        .then(
          () => {
            sink.end();
          },
          (error: unknown) => {
            const failure = error instanceof ContractError ? error : new ContractError('internal', String(error));
            sink.end(failure.toFailure());
          },
        )
        .finally(() => {
          this.#open.delete(id);
        });
    },
  };

  /** @throws ContractError `not-found` */
  #find(id: number): Conversation {
    const found = this.#open.get(id);
    if (found === undefined) throw new ContractError('not-found', 'This WebSocket is closed. Connect again.');
    return found;
  }
}
