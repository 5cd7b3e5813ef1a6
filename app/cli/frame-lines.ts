import type { ExchangeDetail, Http2Frame } from '#contract';
import { http2FlagNames, http2FrameName, isoMicroseconds, MAX_FRAMES } from '#contract';
import type { StoreReader } from '../backend/store/store-reader.ts';
import { print, tell } from './output.ts';
import { terminalText } from './terminal-text.ts';

/** Prints the frames of both connections of an exchange that speak HTTP/2, each by itself, in order. */
export async function printFrames(store: StoreReader, detail: ExchangeDetail, json: boolean): Promise<void> {
  const legs = { client: detail.clientConnection, origin: detail.originConnection };
  let printed = 0;
  for (const leg of ['client', 'origin'] as const) {
    const connection = legs[leg];
    if (connection === null) continue;
    for (const frame of framesOf(store, connection.id)) {
      printed += 1;
      await print(json ? `${JSON.stringify(frameJson(leg, frame))}\n` : frameLine(leg, frame, connection.stream));
    }
  }
  if (printed === 0) tell('No frames: neither leg speaks HTTP/2, or they were not recorded.');
}

function* framesOf(store: StoreReader, connection: number): Generator<Http2Frame> {
  for (let after: number | null = 0; after !== null;) {
    const { frames, next } = store.framePage({ connection, after, limit: MAX_FRAMES });
    yield* frames;
    after = next;
  }
}

function frameJson(leg: 'client' | 'origin', { time, type, flags, facts, ...frame }: Http2Frame): object {
  return {
    leg,
    ...frame,
    time: isoMicroseconds(time),
    type: http2FrameName(type),
    flags: http2FlagNames(type, flags),
    facts: Object.fromEntries(facts),
  };
}

/** The stream of the exchange itself is marked. */
function frameLine(leg: 'client' | 'origin', frame: Http2Frame, own: number | null): string {
  const { time, sent, type, flags, stream, length, facts } = frame;
  const columns = [
    isoMicroseconds(time),
    leg,
    sent ? 'sent    ' : 'received',
    http2FrameName(type).padEnd(13),
    `${String(stream)}${stream === own ? '*' : ' '}`.padStart(6),
    `${String(length)} B`.padStart(9),
  ];
  const says = [...http2FlagNames(type, flags), ...facts.map(([name, value]) => `${name} ${value}`)].join(', ');
  const line = `${columns.join(' ')} ${terminalText(says)}`;
  return `${line.trimEnd()}\n`;
}
