import { http2FlagNames, http2FrameName } from '#contract';
import type { Http2Frame } from '#contract';
import { formatClock, formatDuration } from '../../../text/format.ts';
import { FRAMES_TEXT } from '../../../text/frames.ts';
import { visibleLine } from '../../../ui/visible-text.ts';
import type { Fact } from '../facts.ts';

/** A row of the list: a frame, or frames that are missing in its place. */
export type FrameRow =
  | { readonly kind: 'frame'; readonly frame: Http2Frame }
  | { readonly kind: 'gap'; readonly count: number; readonly isBeginning: boolean };

/** What is looked for among the frames of a connection. */
export interface FrameFilter {
  /** Frames of this stream alone; null for all. */
  readonly stream: number | null;
  /** Part of a row, in any case; empty for all. */
  readonly text: string;
}

/**
 * The frames that a filter leaves. Where all are shown, those that are missing have a row too.
 *
 * @param frames in order
 */
export function rowsOf(frames: readonly Http2Frame[], { stream, text }: FrameFilter): readonly FrameRow[] {
  const wanted = text.trim().toLowerCase();
  const isAll = stream === null && wanted === '';
  const rows: FrameRow[] = [];
  let last = 0;
  for (const frame of frames) {
    const missing = frame.sequence - last - 1;
    if (isAll && missing > 0) rows.push({ kind: 'gap', count: missing, isBeginning: last === 0 });
    last = frame.sequence;
    if (stream !== null && frame.stream !== stream) continue;
    if (wanted === '' || lineOf(frame).toLowerCase().includes(wanted)) rows.push({ kind: 'frame', frame });
  }
  return rows;
}

/** Everything that a row says, for the filter. */
function lineOf(frame: Http2Frame): string {
  return `${http2FrameName(frame.type)} ${String(frame.stream)} ${saysOf(frame)}`;
}

/** Flags and content in one line. */
export function saysOf({ type, flags, facts }: Http2Frame): string {
  const said = facts.map(([name, value]) => `${name} ${value}`);
  return visibleLine([...http2FlagNames(type, flags), ...said].join(' · '));
}

/** When it passed, from the beginning of the exchange on: `+1.2 ms`, `−3.40 s`. */
export function timeOf({ time }: Pick<Http2Frame, 'time'>, startedAt: number): string {
  const since = time - startedAt;
  return `${since < 0 ? '−' : '+'}${formatDuration(Math.abs(since))}`;
}

/** A frame that ends something before its time, or says that it will. */
export function isTrouble({ type, facts }: Http2Frame): boolean {
  const error = facts.find(([name]) => name === 'error')?.[1];
  return (type === 0x3 || type === 0x7) && error !== undefined && error !== 'NO_ERROR';
}

/** All that is known of one. */
export function factsOf(frame: Http2Frame, startedAt: number, ownStream: number | null): readonly Fact[] {
  const { facts: names, direction, noFlags, ofConnection, thisExchange, octets } = FRAMES_TEXT;
  const { sequence, time, sent, type, flags, stream, length } = frame;
  const flagNames = http2FlagNames(type, flags);
  const place = stream === 0 ? ofConnection : stream === ownStream ? thisExchange(stream) : String(stream);
  return [
    { name: names.number, value: String(sequence) },
    { name: names.direction, value: sent ? direction.sent : direction.received },
    { name: names.time, value: `${formatClock(time)} (${timeOf(frame, startedAt)})` },
    { name: names.type, value: `${http2FrameName(type)} (0x${type.toString(16).padStart(2, '0')})` },
    { name: names.flags, value: flagNames.length === 0 ? noFlags : flagNames.join(', ') },
    { name: names.stream, value: place },
    { name: names.length, value: octets(length) },
    ...frame.facts.map(([name, value]) => ({ name, value })),
  ];
}
