import { fileURLToPath } from 'node:url';
import { startChild } from '../child.ts';
import type { Peer } from './peer.ts';

const PROGRAM = fileURLToPath(new URL('./byte-relay-program.ts', import.meta.url));

/** A control: the least that any relay in this runtime can cost. */
export const byteRelay: Peer = {
  name: 'bare byte relay (control)',
  missing: () => null,
  start: async (setting) => {
    const child = startChild(process.execPath, [PROGRAM, String(setting.originPlainPort)], setting.cores);
    return { child, port: Number(await child.nextLine()) };
  },
};
