import * as v from 'valibot';
import type { AuthorityCalls } from './authority-calls.ts';
import { certificateFile } from './client-certificate-validators.ts';

const kept = v.strictObject({ name: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) });

/** A schema for the input of each call. */
export const AUTHORITY_CALL_INPUTS: {
  readonly [Name in keyof AuthorityCalls]: v.GenericSchema<unknown, AuthorityCalls[Name]['input']>;
} = {
  'ca.rotate': v.strictObject({}),
  'ca.import': v.strictObject({
    certificate: certificateFile,
    key: v.nullable(certificateFile),
    passphrase: v.pipe(v.string(), v.maxLength(1_024)),
  }),
  'ca.kept': v.strictObject({}),
  'ca.moveTrust': kept,
  'ca.forget': kept,
};
