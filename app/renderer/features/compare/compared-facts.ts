import type { ExchangeDetail } from '#contract';
import { COMPARE_TEXT } from '../../text/compare.ts';
import { formatDuration } from '../../text/format.ts';
import { TIMING_TEXT } from '../../text/inspector.ts';
import { phasesOf, type PhaseName } from '../inspector/timing-phases.ts';
import type { FieldChange } from './diff-fields.ts';

const PHASES: readonly PhaseName[] = ['dns', 'connect', 'tls', 'send', 'wait', 'receive', 'failed'];

/** Start lines, connections and times of two exchanges side by side; what neither has is left out. */
export function comparedFacts(left: ExchangeDetail, right: ExchangeDetail): readonly FieldChange[] {
  const fact = (name: string, read: (detail: ExchangeDetail) => string | null): FieldChange[] => {
    const [one, other] = [read(left), read(right)];
    return one === null && other === null ? [] : [{ name, left: one, right: other }];
  };
  return [
    ...fact(COMPARE_TEXT.status, ({ summary }) => summary.error?.code ?? summary.status?.toString() ?? null),
    ...fact(COMPARE_TEXT.method, ({ summary }) => (summary.method === '' ? null : summary.method)),
    ...fact(COMPARE_TEXT.host, ({ summary }) => `${summary.scheme}://${summary.host}:${String(summary.port)}`),
    ...fact(COMPARE_TEXT.path, ({ summary }) => (summary.path === '' ? null : summary.path)),
    ...fact(COMPARE_TEXT.protocols, ({ summary }) => `${summary.client.protocol} → ${summary.origin.protocol ?? '–'}`),
    ...fact(COMPARE_TEXT.connection, ({ originConnection }) =>
      originConnection === null ? null : originConnection.reused ? COMPARE_TEXT.reused : COMPARE_TEXT.fresh,
    ),
    ...fact(COMPARE_TEXT.total, ({ summary }) => (summary.duration === null ? null : formatDuration(summary.duration))),
    ...PHASES.flatMap((name) =>
      fact(TIMING_TEXT[name], ({ timing, summary }) => {
        const phase = phasesOf(timing, summary.error).find((candidate) => candidate.name === name);
        return phase === undefined ? null : formatDuration(phase.duration);
      }),
    ),
  ];
}
