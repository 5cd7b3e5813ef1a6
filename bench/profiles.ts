import { HEAVY } from './profiles/heavy.ts';
import { INSPECTION, SCALE } from './profiles/inspection.ts';
import { INTERCEPTION } from './profiles/interception.ts';
import { MATRIX } from './profiles/matrix.ts';
import { runnable, type RunnableProfile } from './profiles/profile.ts';
import { REVERSE_PROXIES } from './profiles/reverse.ts';
import { SHAPES } from './profiles/shape.ts';
import { RELAYS, STREAMS } from './profiles/streams.ts';

export type { RunnableProfile } from './profiles/profile.ts';

/** Everything that can be measured, in the order in which it is shown. */
export const PROFILES: readonly RunnableProfile[] = [
  ...REVERSE_PROXIES,
  ...HEAVY,
  ...SHAPES,
  ...STREAMS,
  ...RELAYS,
  ...INTERCEPTION,
  ...INSPECTION,
  ...SCALE,
  ...MATRIX,
].map(runnable);
