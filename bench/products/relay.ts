import { startChild } from '../child.ts';
import { NODE_ENVIRONMENT, programPath } from '../programs.ts';
import type { Product } from './product.ts';

/** A control: the least that any relay in this runtime can cost. */
export const relay: Product = {
  id: 'relay',
  name: 'bare byte relay (control)',
  isWeir: false,
  isControl: true,
  version: () => process.version,
  missing: () => null,
  start: async ({ role, origin, cores }) => {
    const target = role.kind === 'tcp' ? origin.tcp : origin.plain;
    const child = startChild(process.execPath, [programPath('relay'), String(target)], cores, NODE_ENVIRONMENT);
    return { child, port: Number(await child.nextLine()) };
  },
};

/** A control: the least that a proxy from HTTP/2 over TLS to HTTP/1.1 can cost in this runtime. */
export const translator: Product = {
  id: 'translator',
  name: 'bare translation (control)',
  isWeir: false,
  isControl: true,
  version: () => process.version,
  missing: () => null,
  start: async ({ origin, cores, certificateFile, keyFile }) => {
    const args = [programPath('translator'), String(origin.plain), certificateFile, keyFile];
    const child = startChild(process.execPath, args, cores, NODE_ENVIRONMENT);
    return { child, port: Number(await child.nextLine()) };
  },
};
