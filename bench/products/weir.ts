import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startChild } from '../child.ts';
import { NODE_ENVIRONMENT, WEIR_COMMAND } from '../programs.ts';
import type { OriginPorts } from '../workload.ts';
import type { OriginKind, Product, ProductSetting, RunningProduct } from './product.ts';

interface Ready {
  readonly listeners: readonly { readonly port: number }[];
}

/** Weir itself, one engine worker, on a data folder of its own. */
export function weir(capture: boolean, version: string): Product {
  return {
    id: capture ? 'weir-capture' : 'weir',
    name: capture ? 'Weir, capture on' : 'Weir, capture off',
    isWeir: true,
    isControl: false,
    version: () => version,
    missing: () => (existsSync(WEIR_COMMAND) ? null : 'Weir is not built (npm run build)'),
    start: (setting) => start(setting, capture),
  };
}

function modeOf({ role, origin }: ProductSetting): string {
  switch (role.kind) {
    case 'reverse':
      return `reverse:${originUrl(role.origin, origin)}`;
    case 'explicit':
      return 'proxy';
    case 'tcp':
      return `tcp:127.0.0.1:${String(origin.tcp)}`;
    case 'udp':
      return `udp:127.0.0.1:${String(origin.udp)}`;
  }
}

function originUrl(kind: OriginKind, ports: OriginPorts): string {
  switch (kind) {
    case 'plain':
      return `http://127.0.0.1:${String(ports.plain)}`;
    case 'h2c':
      return `h2c://127.0.0.1:${String(ports.h2c)}`;
    case 'tls':
    case 'h2':
      // The certificate, which is verified, names this host.
      return `https://localhost:${String(ports[kind])}`;
  }
}

async function start(setting: ProductSetting, capture: boolean): Promise<RunningProduct> {
  const port = await freePort();
  const args = [WEIR_COMMAND, 'serve', '--json', '--no-ui', '--data', join(setting.folder, 'data')];
  args.push('--mode', `${modeOf(setting)}@127.0.0.1:${String(port)}`, '--origin-ca', setting.caFile);
  // The same certificate as the others present: signing a leaf of our own is not what these profiles are about.
  if (setting.role.kind === 'reverse') args.push('--cert', setting.certificateFile, '--key', setting.keyFile);
  if (!capture) args.push('--no-capture');
  const child = startChild(process.execPath, args, setting.cores, NODE_ENVIRONMENT);
  const ready = JSON.parse(await child.nextLine()) as Ready;
  return { child, port: ready.listeners[0]?.port ?? port };
}
