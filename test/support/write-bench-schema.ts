import { writeFileSync } from 'node:fs';
import { BENCH_SCHEMA_FILE, benchSchema } from './bench-schema.ts';

/* `node test/support/write-bench-schema.ts` writes docs/weir-bench.schema.json anew after the validator has changed. */

writeFileSync(BENCH_SCHEMA_FILE, `${JSON.stringify(benchSchema(), null, 2)}\n`);
