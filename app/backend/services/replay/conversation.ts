import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import type { ConversationRequest, ConversationState, ExchangeDetail, ExchangeSummary } from '#contract';
import { ContractError } from '#contract';
import type { BackendCore } from '../../backend-core.ts';
import { playScript, type Stage } from './play-script.ts';
import { readScript, type MessageCapture, type Script } from './conversation-script.ts';
import { openWebSocket } from './open-websocket.ts';
import { planHandshake } from './plan-handshake.ts';
import { ReplayGate } from './replay-gate.ts';

/** Bytes that may wait to be written before a person's message is refused. */
const MOST_WAITING_BYTES = 16_777_216;
/** How long a closing handshake may take when nobody waits for it any more, and a refusal's body, milliseconds. */
const GOODBYE_MS = 1_000;
const REFUSAL_BODY_MS = 5_000;

/** Reads of the store that a conversation needs. */
export interface ConversationSource extends MessageCapture {
  get(id: number): Promise<ExchangeDetail>;
}

/** One WebSocket that a person opened through the engine. */
export class Conversation {
  readonly #core: BackendCore;
  readonly #source: ConversationSource;
  readonly #request: ConversationRequest;
  readonly #tell: (state: ConversationState) => void;
  /** Aborted when the connection is to be cut. */
  readonly #cut = new AbortController();
  /** Aborted when a replay is to stop. */
  readonly #stop = new AbortController();
  #state: ConversationState;
  #socket: WebSocket | null = null;
  #row: ExchangeSummary | null = null;
  #messageCame: () => void = () => undefined;

  /** @param tell hears the whole state whenever it changes */
  constructor(
    id: number,
    core: BackendCore,
    source: ConversationSource,
    request: ConversationRequest,
    tell: (state: ConversationState) => void,
  ) {
    this.#core = core;
    this.#source = source;
    this.#request = request;
    this.#tell = tell;
    this.#state = {
      id,
      phase: 'connecting',
      exchange: null,
      recorded: core.capture && core.status.recording,
      status: null,
      subprotocol: '',
      extensions: '',
      sent: 0,
      sentBytes: 0,
      received: 0,
      receivedBytes: 0,
      replay: null,
      close: null,
      problem: null,
    };
  }

  /**
   * Opens the WebSocket, replays what was asked for, and ends with the connection.
   *
   * @param signal aborting it closes the connection
   * @throws ContractError `not-found`, `bad-input`, `body-dropped` before anything is sent
   */
  async run(signal: AbortSignal): Promise<void> {
    const { of, replay } = this.#request;
    const original = of === null ? null : await this.#source.get(of);
    const planned = planHandshake(this.#request, original);
    let script: Script | null = null;
    if (of !== null && original !== null && replay !== null) {
      if (original.summary.kind !== 'websocket') {
        throw new ContractError(
          'bad-input',
          `Exchange ${String(of)} is no WebSocket; it has no conversation to replay.`,
        );
      }
      script = await readScript(this.#source, of);
      this.#change({ replay: { total: script.total, sent: 0, awaits: 0, done: false } });
    }
    const gate = new ReplayGate(this.#core, of, true, this.#cut.signal);
    const leave = (): void => {
      this.#leave();
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      this.#change({});
      const { socket, recorded } = await gate.openSocket(planned.place, (row) => {
        this.#row = row;
        if (this.#state.exchange !== row.id) this.#change({ exchange: row.id });
      });
      const closed = this.#listen(openWebSocket(socket, planned));
      if ((await this.#opened()) && script !== null && original !== null) await this.#play(script, original);
      await closed;
      await recorded();
    } catch (error: unknown) {
      if (error instanceof ContractError && error.code === 'cancelled') this.#change({ phase: 'failed' });
      else this.#change({ phase: 'failed', problem: error instanceof Error ? error.message : String(error) });
    } finally {
      signal.removeEventListener('abort', leave);
      this.#stop.abort();
      await gate.close();
    }
    this.#change({ problem: this.#state.problem ?? this.#refusal() });
  }

  /**
   * Sends one message and waits until it is written.
   * @throws ContractError `not-found` when it is not open, `unavailable`
   */
  async send(kind: 'text' | 'binary' | 'ping', payload: Uint8Array, deflated = true): Promise<void> {
    const socket = this.#socket;
    if (socket === null || this.#state.phase !== 'open') {
      throw new ContractError('not-found', 'This WebSocket is not open any more. Connect again to send.');
    }
    if (socket.bufferedAmount > MOST_WAITING_BYTES) {
      throw new ContractError(
        'unavailable',
        'More than 16 MiB wait to be sent: the origin reads slowly. Wait until they are sent.',
      );
    }
    await new Promise<void>((resolve, reject) => {
      const written = (error?: Error | null): void => {
        if (error === undefined || error === null) resolve();
        else reject(new ContractError('unavailable', `The message was not sent: ${error.message}`));
      };
      if (kind === 'ping') socket.ping(payload, true, written);
      else socket.send(payload, { binary: kind === 'binary', compress: deflated }, written);
    });
    if (kind === 'ping') return;
    const { sent, sentBytes } = this.#state;
    this.#change({ sent: sent + 1, sentBytes: sentBytes + payload.byteLength });
  }

  /** Ends a replay and begins the closing handshake. @param code null: a close frame without one */
  close(code: number | null, reason: string): void {
    this.#stop.abort();
    this.#close(code, reason);
  }

  #close(code: number | null, reason: string): void {
    const socket = this.#socket;
    if (socket === null || this.#state.phase === 'connecting') {
      this.#cut.abort();
      return;
    }
    if (this.#state.phase !== 'open') return;
    this.#change({ phase: 'closing', close: { code, reason, by: 'client' } });
    if (code === null) socket.close();
    else socket.close(code, reason);
  }

  /** Nobody looks any more: says goodbye, and cuts the connection when that takes long. */
  #leave(): void {
    this.#stop.abort();
    this.#close(1_001, '');
    const timer = setTimeout(() => {
      this.#cut.abort();
    }, GOODBYE_MS);
    this.#socket?.once('close', () => {
      clearTimeout(timer);
    });
  }

  /** @returns what is resolved when the connection is over */
  #listen(socket: WebSocket): Promise<void> {
    this.#socket = socket;
    this.#cut.signal.addEventListener('abort', () => {
      socket.terminate();
    });
    socket.on('upgrade', ({ statusCode }: IncomingMessage) => {
      this.#change({ status: statusCode ?? null });
    });
    socket.on('open', () => {
      this.#change({ phase: 'open', subprotocol: socket.protocol, extensions: socket.extensions });
    });
    socket.on('message', (data: RawData) => {
      const { received, receivedBytes } = this.#state;
      const bytes = Array.isArray(data) ? 0 : data.byteLength;
      this.#change({ received: received + 1, receivedBytes: receivedBytes + bytes });
      this.#messageCame();
    });
    socket.on('error', (error) => {
      if (!this.#cut.signal.aborted && this.#state.phase !== 'failed')
        this.#change({ problem: this.#state.problem ?? problemOf(error) });
    });
    return new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.#closed(code, reason.toString('utf8'));
        resolve();
      });
      socket.on('unexpected-response', (_request, response) => {
        this.#change({ status: response.statusCode ?? null });
        void wholeBody(response).then(() => {
          this.#change({ phase: 'failed' });
          socket.terminate();
          resolve();
        });
      });
    });
  }

  /** @returns whether a WebSocket was opened */
  async #opened(): Promise<boolean> {
    const socket = this.#socket;
    if (socket?.readyState === 0)
      await Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => undefined);
    return this.#state.phase === 'open';
  }

  #closed(code: number, reason: string): void {
    this.#messageCame();
    const { phase, close, replay, problem } = this.#state;
    if (phase === 'connecting' || phase === 'failed') {
      this.#change({ phase: 'failed' });
      return;
    }
    // 1005: no code was told. 1006: no close frame came (RFC 6455 §7.4.1).
    const told = code === 1_005 || code === 1_006 ? null : code;
    const lost = code === 1_006 && !this.#cut.signal.aborted ? lostProblem(close !== null) : null;
    const unsent = replay !== null && replay.sent < replay.total && close === null ? unsentProblem(replay, told) : null;
    this.#change({
      phase: 'closed',
      close: close ?? { code: told, reason, by: 'origin' },
      problem: problem ?? unsent ?? lost,
    });
  }

  async #play(script: Script, original: ExchangeDetail): Promise<void> {
    const stage: Stage = {
      signal: this.#stop.signal,
      isOpen: () => this.#state.phase === 'open',
      received: () => this.#state.received,
      nextNews: () =>
        new Promise((resolve) => {
          this.#messageCame = resolve;
        }),
      send: ({ kind, deflated }, payload) => this.send(kind, payload, deflated),
      close: ({ code, reason }) => {
        this.#close(code, reason);
      },
      progress: (change) => {
        const { replay } = this.#state;
        if (replay !== null) this.#change({ replay: { ...replay, ...change } });
      },
    };
    try {
      const { timing, summary } = original;
      const openedAt = summary.startedAt + (timing.firstByte ?? 0);
      const done = await playScript(script, this.#request.replay ?? 'fast', openedAt, this.#source, stage);
      if (done) stage.progress({ done: true, awaits: 0 });
    } catch (error: unknown) {
      // Where the connection ended first, how it did says more.
      const { problem } = this.#state;
      this.#change({ problem: problem ?? (error instanceof Error ? error.message : String(error)) });
      this.#close(1_001, '');
    }
  }

  /** Why no WebSocket was opened, where the answer or its row says so. */
  #refusal(): string | null {
    const { phase, status } = this.#state;
    if (phase !== 'failed' || this.#cut.signal.aborted) return null;
    if (this.#row?.error !== null && this.#row?.error !== undefined) return this.#row.error.message;
    return status === null
      ? 'The origin gave no answer.'
      : `The origin answered ${String(status)} instead of opening a WebSocket. Its answer says why.`;
  }

  #change(change: Partial<ConversationState>): void {
    this.#state = { ...this.#state, ...change };
    this.#tell(this.#state);
  }
}

function unsentProblem({ sent, total }: { sent: number; total: number }, code: number | null): string {
  const how = code === null ? '' : ` with ${String(code)}`;
  return `The origin closed the connection${how} after ${String(sent)} of ${String(total)} messages.`;
}

function lostProblem(closing: boolean): string {
  return closing
    ? 'The origin ended the connection, or fell silent, without answering the close.'
    : 'The connection was lost before it was closed.';
}

function problemOf(error: Error): string {
  const code = 'code' in error ? error.code : '';
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
    return 'The origin sent a message longer than 64 MiB, the longest that Weir takes. The connection was closed.';
  }
  if (typeof code === 'string' && code.startsWith('WS_ERR')) {
    return `The origin broke the WebSocket protocol: ${error.message}. The connection was closed.`;
  }
  return `No WebSocket was opened: ${error.message}.`;
}

/** Lets a body pass, for its row; not for longer than a while. */
async function wholeBody(response: IncomingMessage): Promise<void> {
  // It may be cut while nobody waits for it any more.
  response.on('error', () => undefined).resume();
  const signal = AbortSignal.timeout(REFUSAL_BODY_MS);
  await once(response, 'close', { signal }).catch(() => undefined);
}
