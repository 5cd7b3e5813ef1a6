import type { CallName, Calls, ContractFailure, StreamName, Streams } from '../../contract/calls.ts';
import { ContractError } from '../../contract/contract-error.ts';
import type { ClientEnvelope } from '../../contract/validators.ts';
import {
  checkCallInput,
  checkStreamInput,
  isCallName,
  isStreamName,
  parseClientFrame,
} from '../../contract/validators.ts';
import type { Carrier, ClientFrame, ServerFrame } from '../../contract/wire.ts';
import type { StreamSink, StreamTraits } from './outgoing-stream.ts';
import { OutgoingStream } from './outgoing-stream.ts';

/** Aborted when the caller cancels, closes the stream or goes away. */
export interface ServiceContext {
  readonly signal: AbortSignal;
}

export type CallHandler<Name extends CallName> = (
  input: Calls[Name]['input'],
  context: ServiceContext,
) => Calls[Name]['output'] | Promise<Calls[Name]['output']>;

/** Begins to write; goes on until `context.signal` aborts or it ends the sink. */
export type StreamHandler<Name extends StreamName> = (
  input: Streams[Name]['input'],
  sink: StreamSink<Streams[Name]['item']>,
  context: ServiceContext,
) => void;

/** One handler for every call of the contract. */
export type CallHandlers = { readonly [Name in CallName]: CallHandler<Name> };

/** One handler for every stream of the contract. */
export type StreamHandlers = { readonly [Name in StreamName]: StreamHandler<Name> };

export interface Services {
  readonly calls: CallHandlers;
  readonly streams: StreamHandlers;
}

/** Work that one client may have under way at a time. */
const MAX_CALLS = 256;
const MAX_STREAMS = 64;

const STREAM_TRAITS: { readonly [Name in StreamName]: StreamTraits<Streams[Name]['item']> } = {
  'app.status': { key: () => 0, bytes: () => 2_048 },
  'replay.run': { key: () => 0, bytes: ({ latencies }) => 400 + 60 * latencies.length },
  'conversation.open': { key: () => 0, bytes: () => 600 },
  'exchanges.changed': {
    key: (summary) => summary.id,
    bytes: (summary) => 600 + summary.path.length + summary.host.length + (summary.error?.message.length ?? 0),
  },
  'messages.added': {
    key: ({ sequence }) => sequence,
    bytes: ({ preview }) => 260 + 3 * preview.length,
  },
  'listeners.hold': { key: () => 0, bytes: () => 1_024 },
  'export.preview': { key: () => 0, bytes: () => 8_192 },
  'bench.progress': { key: () => 0, bytes: ({ progress }) => 1_024 + 4_096 * (progress?.results.length ?? 0) },
};

/**
 * Serves the contract to one client over a carrier until it closes. Frames and inputs are validated; a malformed frame
 * closes the carrier, since its sender is no client of ours. Failures that are not `ContractError`s reach the client as
 * `internal` without their details, which go to `report`.
 */
export function serveContract(
  carrier: Carrier<ServerFrame, ClientFrame>,
  services: Services,
  report: (error: unknown) => void,
): void {
  const calls = new Map<number, AbortController>();
  const streams = new Map<number, { readonly outgoing: OutgoingStream<unknown>; readonly abort: AbortController }>();
  let open = true;

  const send = (frame: ServerFrame): void => {
    if (open) carrier.send(frame);
  };

  carrier.onFrame((received) => {
    const frame = parseClientFrame(received);
    if (frame === null) carrier.close();
    else receive(frame);
  });

  carrier.onClose(() => {
    open = false;
    for (const abort of calls.values()) abort.abort();
    for (const { outgoing, abort } of streams.values()) {
      outgoing.stop();
      abort.abort();
    }
    calls.clear();
    streams.clear();
  });

  function receive(frame: ClientEnvelope): void {
    switch (frame.type) {
      case 'call':
        if (calls.has(frame.id)) fail(frame.id, 'bad-input', `Call ${String(frame.id)} is still running.`);
        else if (calls.size >= MAX_CALLS) fail(frame.id, 'unavailable', 'Too many calls are running. Wait for some.');
        else if (!isCallName(frame.name)) fail(frame.id, 'bad-input', `There is no call ${frame.name.slice(0, 80)}.`);
        else void answer(frame.id, frame.name, frame.input);
        break;
      case 'cancel':
        calls.get(frame.id)?.abort();
        break;
      case 'open':
        if (streams.has(frame.id)) break;
        if (streams.size >= MAX_STREAMS) refuse(frame.id, 'unavailable', 'Too many streams are open. Close some.');
        else if (!isStreamName(frame.name)) {
          refuse(frame.id, 'bad-input', `There is no stream ${frame.name.slice(0, 80)}.`);
        } else openStream(frame.id, frame.name, frame.input, frame.credit);
        break;
      case 'credit':
        streams.get(frame.id)?.outgoing.addCredit(frame.items);
        break;
      case 'close':
        streams.get(frame.id)?.outgoing.stop();
        streams.get(frame.id)?.abort.abort();
        streams.delete(frame.id);
        break;
    }
  }

  async function answer<Name extends CallName>(id: number, name: Name, received: unknown): Promise<void> {
    const checked = checkCallInput(name, received);
    if ('problem' in checked) {
      fail(id, 'bad-input', checked.problem);
      return;
    }
    const abort = new AbortController();
    calls.set(id, abort);
    try {
      const output = await services.calls[name](checked.input, { signal: abort.signal });
      if (!abort.signal.aborted) send({ type: 'result', id, output });
    } catch (error: unknown) {
      if (!abort.signal.aborted) send({ type: 'failure', id, failure: failureOf(error) });
    } finally {
      calls.delete(id);
    }
  }

  function openStream<Name extends StreamName>(id: number, name: Name, received: unknown, credit: number): void {
    const checked = checkStreamInput(name, received);
    if ('problem' in checked) {
      refuse(id, 'bad-input', checked.problem);
      return;
    }
    const abort = new AbortController();
    const traits: StreamTraits<Streams[Name]['item']> = STREAM_TRAITS[name];
    const outgoing = new OutgoingStream(id, credit, traits, send, () => {
      streams.delete(id);
      abort.abort();
    });
    streams.set(id, { outgoing, abort });
    try {
      services.streams[name](checked.input, outgoing, { signal: abort.signal });
    } catch (error: unknown) {
      outgoing.end(failureOf(error));
    }
  }

  function fail(id: number, code: ContractFailure['code'], message: string): void {
    send({ type: 'failure', id, failure: { code, message } });
  }

  function refuse(id: number, code: ContractFailure['code'], message: string): void {
    send({ type: 'ended', id, failure: { code, message } });
  }

  function failureOf(error: unknown): ContractFailure {
    if (error instanceof ContractError) return error.toFailure();
    report(error);
    return { code: 'internal', message: 'The backend failed on this request. Its log on standard error says why.' };
  }
}
