import * as v from 'valibot';
import type { ExportCalls, ExportStreams } from './export.ts';
import { MAX_FILTER_LENGTH, MAX_IDS } from './wire.ts';

const number = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const names = v.pipe(
  v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500))),
  v.maxLength(200, 'are more than 200'),
);

const ORDER = v.strictObject({
  choice: v.union([
    v.strictObject({ ids: v.pipe(v.array(number), v.maxLength(MAX_IDS)) }),
    v.strictObject({ session: number, filter: v.pipe(v.string(), v.maxLength(MAX_FILTER_LENGTH)) }),
  ]),
  format: v.picklist(['har', 'weir']),
  redaction: v.strictObject({ headers: names, cookies: names, parameters: names, jsonPaths: names }),
});

/** A schema for the input of each call. */
export const EXPORT_CALL_INPUTS: {
  readonly [Name in keyof ExportCalls]: v.GenericSchema<unknown, ExportCalls[Name]['input']>;
} = {
  'export.begin': ORDER,
  'export.read': v.strictObject({ export: number }),
  'export.cancel': v.strictObject({ export: number }),
};

/** A schema for the input of each stream. */
export const EXPORT_STREAM_INPUTS: {
  readonly [Name in keyof ExportStreams]: v.GenericSchema<unknown, ExportStreams[Name]['input']>;
} = { 'export.preview': ORDER };
