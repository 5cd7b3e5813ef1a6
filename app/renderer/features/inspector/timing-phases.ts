import type { ExchangeError, Timing } from '#contract';
import type { TimingSegment } from '../../ui/timing-segment.ts';
import { formatDuration } from '../../text/format.ts';
import { TIMING_TEXT } from '../../text/inspector.ts';

export type PhaseName = 'dns' | 'connect' | 'tls' | 'send' | 'wait' | 'receive' | 'failed';

export interface Phase {
  readonly name: PhaseName;
  /** Microseconds since the exchange began. */
  readonly from: number;
  /** Microseconds. */
  readonly duration: number;
}

const COLOURS: Readonly<Record<PhaseName, TimingSegment['colour']>> = {
  dns: 'text-3',
  connect: 'yellow',
  tls: 'stream',
  send: 'text-2',
  wait: 'ok',
  receive: 'redirect',
  failed: 'error',
};

const FAILED_IN: Readonly<Record<ExchangeError['phase'], PhaseName>> = {
  resolve: 'dns',
  connect: 'connect',
  tls: 'tls',
  request: 'failed',
  response: 'wait',
  body: 'receive',
};

/** Instants become phases, one after another. What came after the last instant belongs to the phase that failed. */
export function phasesOf(timing: Timing, error: ExchangeError | null): readonly Phase[] {
  const instants: readonly (readonly [PhaseName, number | null])[] = [
    ['dns', timing.dns],
    ['connect', timing.connect],
    ['tls', timing.tls],
    ['send', timing.sent],
    ['wait', timing.firstByte],
    ['receive', timing.firstByte === null ? null : timing.end],
  ];
  const phases: Phase[] = [];
  let from = 0;
  for (const [name, until] of instants) {
    if (until === null) continue;
    // An answer may begin before the last request byte was written.
    phases.push({ name, from, duration: Math.max(0, until - from) });
    from = Math.max(from, until);
  }
  if (timing.firstByte === null && timing.end !== null && timing.end > from) {
    const name = error === null ? 'receive' : FAILED_IN[error.phase];
    phases.push({
      name: phases.some((phase) => phase.name === name) ? 'failed' : name,
      from,
      duration: timing.end - from,
    });
  }
  return phases;
}

/** Phases for the bar and its legend. */
export function segmentsOf(phases: readonly Phase[]): readonly TimingSegment[] {
  return phases.map(({ name, duration }) => ({
    label: TIMING_TEXT[name],
    duration,
    text: formatDuration(duration),
    colour: COLOURS[name],
  }));
}

/** Colour of a phase, a token's name. */
export function colourOf(name: PhaseName): TimingSegment['colour'] {
  return COLOURS[name];
}
