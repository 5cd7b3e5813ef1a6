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
