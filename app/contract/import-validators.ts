import * as v from 'valibot';
import type { ImportCalls } from './import.ts';
import { MAX_WINDOW_BYTES } from './wire.ts';

const importId = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** A schema for the input of each call. */
export const IMPORT_CALL_INPUTS: {
  readonly [Name in keyof ImportCalls]: v.GenericSchema<unknown, ImportCalls[Name]['input']>;
} = {
  'import.begin': v.strictObject({ fileName: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)) }),
  'import.write': v.strictObject({
    import: importId,
    bytes: v.pipe(
      v.instance(Uint8Array),
      v.check(({ byteLength }) => byteLength <= MAX_WINDOW_BYTES, 'is longer than 256 KiB'),
    ),
  }),
  'import.end': v.strictObject({ import: importId }),
  'import.cancel': v.strictObject({ import: importId }),
};
