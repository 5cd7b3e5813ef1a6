import { startChild } from '../child.ts';
import { probed } from '../loop-delays.ts';
import { nativeGenerator } from '../native-load.ts';
import { NODE_ENVIRONMENT, programPath, type BenchProgramName } from '../programs.ts';
import type { OriginPorts } from '../workload.ts';
import type { Product, ProductSetting, Role, RunningProduct } from './product.ts';
import { which } from './which.ts';

/**
 * A control: the least that any relay in this runtime can cost. It opens nothing and translates nothing, so behind it stands the origin
 * that speaks the client's own protocol; of an explicit proxy it does the answer to CONNECT.
 */
export const relay: Product = {
  id: 'relay',
  name: 'bare byte relay (control)',
  isWeir: false,
  isControl: true,
  version: () => process.version,
  missing: (role) => {
    if (role?.kind === 'udp') return 'Not possible: the relay copies bytes of connections';
    return role?.kind === 'explicit' && role.way !== 'connect' ? 'Not possible: the relay knows CONNECT alone' : null;
  },
  start: (setting) => {
    const way = setting.role.kind === 'explicit' ? ['connect'] : [];
    return startNode('relay', [String(setting.origin[originOf(setting.role)]), ...way], setting);
  },
};

function originOf(role: Role): keyof OriginPorts {
  switch (role.kind) {
    case 'tcp':
    case 'udp':
      return role.kind;
    case 'explicit':
      return role.origin;
    case 'reverse':
      if (role.http2) return role.tls ? 'h2' : 'h2c';
      return role.tls ? 'tls' : 'plain';
  }
}

/** A control: the least that a proxy from HTTP/2 over TLS to HTTP/1.1 can cost in this runtime. */
export const translator: Product = {
  id: 'translator',
  name: 'bare translation (control)',
  isWeir: false,
  isControl: true,
  version: () => process.version,
  missing: () => null,
  start: (setting) => {
    const { origin, certificateFile, keyFile } = setting;
    return startNode('translator', [String(origin.plain), certificateFile, keyFile], setting);
  },
};

/** A control: the origin without anything between, loaded by a generator that is none of ours. */
export const nativeOrigin: Product = {
  id: 'origin-native',
  name: 'origin alone, by wrk or h2load (control)',
  isWeir: false,
  isControl: true,
  version: () => null,
  missing: (role) => {
    if (role?.kind !== 'reverse') return null;
    const program = nativeGenerator(role.origin === 'h2' || role.origin === 'h2c');
    if (which(program) !== null) return null;
    return `${program} is not installed (Debian: apt install ${program === 'wrk' ? 'wrk' : 'nghttp2-client'})`;
  },
  start: null,
};

async function startNode(
  program: BenchProgramName,
  args: readonly string[],
  { folder, cores }: ProductSetting,
): Promise<RunningProduct> {
  const probe = probed(folder);
  const child = startChild(process.execPath, [...probe.args, programPath(program), ...args], cores, {
    ...NODE_ENVIRONMENT,
    ...probe.env,
  });
  return { child, port: Number(await child.nextLine()) };
}
