import type { Tap } from '#engine';
import type { ConnectionId, ExchangeId } from '#contract';
import { SamplePlayer, type SampleClock } from './player.ts';
import { seededRandom } from './random.ts';
import { apiStory } from './story-api.ts';
import { browsingStory } from './story-browsing.ts';
import { streamStory } from './story-streams.ts';
import { failureStory } from './story-failures.ts';

/** When the invented traffic began: Monday, 15 June 2026, 09:30:00 UTC, in microseconds since the Unix epoch. */
export const SAMPLE_STARTED_AT = Date.UTC(2026, 5, 15, 9, 30) * 1_000;

/** The clock of the invented traffic. */
export function makeSampleClock(): SampleClock {
  return { startedAt: SAMPLE_STARTED_AT, now: SAMPLE_STARTED_AT };
}

const SEED = 1_781_515_800;

/**
 * Records the traffic of an invented shop as if the engine had carried it: the same exchanges, bytes and instants on
 * every call. One exchange stays pending for ever.
 *
 * @param tap where the calls go; they all return before this does
 * @param firstExchangeId ids grow from here by one
 * @param firstConnectionId ids grow from here by one
 * @param clock the tap's: what it says while a piece of a stream passes is when that piece passed
 * @returns how many exchanges were recorded
 */
export function playSample(
  tap: Tap,
  firstExchangeId: ExchangeId,
  firstConnectionId: ConnectionId,
  clock: SampleClock = makeSampleClock(),
): number {
  const random = seededRandom(SEED);
  const story = [...browsingStory(random), ...apiStory(random), ...failureStory(random), ...streamStory(random)].sort(
    (a, b) => a.at - b.at,
  );
  const player = new SamplePlayer(tap, clock, firstExchangeId, firstConnectionId);
  for (const scripted of story) player.play(scripted);
  return story.length;
}
