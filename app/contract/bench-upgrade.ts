import * as v from 'valibot';
import { shareOfOrigin, successShare } from './bench-ratios.ts';

/* What results of version 1 lack: ladders, rates, shares, and memory without shared pages. Everything else is as it was. */

const trial = v.looseObject({
  operations: v.number(),
  errors: v.number(),
  operationsPerSecond: v.number(),
  engineCpuPerOperation: v.optional(v.nullable(v.number()), null),
});
const product = v.looseObject({ trials: v.array(trial), median: v.nullable(trial) });
const profile = v.looseObject({ origin: v.nullable(trial), products: v.array(product) });
const first = v.looseObject({
  schema: v.literal('weir-bench/1'),
  methodology: v.looseObject({}),
  profiles: v.array(profile),
});

type Trial = v.InferOutput<typeof trial>;

/**
 * Raises a result of version 1 to the present one.
 *
 * @param json anything else comes back as it is, for the validator to judge
 */
export function upgradeBenchResult(json: unknown): unknown {
  const parsed = v.safeParse(first, json);
  if (!parsed.success) return json;
  const { methodology, profiles, ...rest } = parsed.output;
  return {
    ...rest,
    schema: 'weir-bench/2',
    methodology: { ...methodology, rate: null },
    profiles: profiles.map(({ origin, products, ...facts }) => ({
      ...facts,
      origin: origin === null ? null : upgradeTrial(origin),
      products: products.map(({ trials, median, ...about }) => ({
        ...about,
        trials: trials.map(upgradeTrial),
        median: median === null ? null : upgradeTrial(median),
        originShare: shareOfOrigin(median, origin),
      })),
    })),
    ladders: [],
  };
}

function upgradeTrial(old: Trial): object {
  return { ...old, successShare: successShare(old.operations, old.errors), proportionalBytes: null };
}
