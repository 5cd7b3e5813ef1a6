import * as v from 'valibot';
import type { SetupCalls } from './setup-calls.ts';

/** What may stand in a list of hosts without a proxy, on every platform: no separator of any of them, no quote. */
const bypass = v.exactOptional(
  v.pipe(v.array(v.pipe(v.string(), v.trim(), v.regex(/^[\w.*:/[\]-]{1,253}$/))), v.maxLength(200)),
);

const store = v.pipe(v.string(), v.minLength(1), v.maxLength(4_096));

/** A schema for the input of each call of the Setup page. */
export const SETUP_CALL_INPUTS: {
  readonly [Name in keyof SetupCalls]: v.GenericSchema<unknown, SetupCalls[Name]['input']>;
} = {
  'setup.ways': v.strictObject({}),
  'setup.openTerminal': v.strictObject({ shell: v.picklist(['posix', 'fish', 'powershell', 'cmd']) }),
  'systemProxy.status': v.strictObject({ bypass }),
  'systemProxy.on': v.strictObject({ bypass, chain: v.boolean() }),
  'systemProxy.off': v.strictObject({}),
  'trust.examine': v.strictObject({}),
  'trust.install': v.strictObject({ store }),
  'trust.remove': v.strictObject({ store, all: v.boolean() }),
};
