import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { benchSchema, readBenchSchema } from '../../test/support/bench-schema.ts';
import { sampleResult } from '../../test/support/sample-bench.ts';
import { parseBenchResult } from './bench-validators.ts';

const ORDER = { run: 'run', profiles: ['http1-small'], ramps: ['http1-small'], products: null, trials: 2, seconds: 1 };
// Formats are notes to a reader here; the validator of the app looks at them itself.
const validate = new Ajv2020({ validateFormats: false }).compile(readBenchSchema());

test('the schema in docs is that of the validator (node test/support/write-bench-schema.ts writes it)', () => {
  expect(readBenchSchema()).toEqual(benchSchema());
});

test.each([
  ['a result', {}, true],
  ['another version', { schema: 'weir-bench/3' }, false],
  ['a name that is none of a file', { id: '../run' }, false],
  ['no ladders', { ladders: undefined }, false],
])('schema and validator agree about %s', (_what, change, isValid) => {
  const text = JSON.stringify({ ...sampleResult(ORDER), ...change });
  const accepts = (): boolean => {
    try {
      parseBenchResult(text);
      return true;
    } catch {
      return false;
    }
  };
  expect(validate(JSON.parse(text))).toBe(isValid);
  expect(accepts()).toBe(isValid);
});
