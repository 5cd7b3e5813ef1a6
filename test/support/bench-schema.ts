import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toJsonSchema } from '@valibot/to-json-schema';
import { BENCH_RESULT } from '../../app/contract/bench-validators.ts';

/** Where the JSON schema of a benchmark's result stands. */
export const BENCH_SCHEMA_FILE = fileURLToPath(new URL('../../docs/weir-bench.schema.json', import.meta.url));

/** The JSON schema that says the same as the validator of the app. */
export function benchSchema(): object {
  return {
    ...toJsonSchema(BENCH_RESULT, { target: 'draft-2020-12' }),
    title: 'A result of `weir bench`',
    description:
      'What `weir bench --json` writes and the Benchmark page exports, version 2. Units: app/contract/bench.ts.',
  };
}

export function readBenchSchema(): object {
  return JSON.parse(readFileSync(BENCH_SCHEMA_FILE, 'utf8')) as object;
}
