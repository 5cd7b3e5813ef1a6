import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startChild } from '../child.ts';
import { probed } from '../loop-delays.ts';
import { openInspector, statusOf } from '../inspector-client.ts';
import { NODE_ENVIRONMENT, programPath, WEIR_COMMAND } from '../programs.ts';
import type { OriginPorts } from '../workload.ts';
import type { OriginKind, Product, ProductSetting, RunningProduct } from './product.ts';

interface Ready {
  readonly listeners: readonly { readonly port: number }[];
  readonly ui: { readonly url: string } | null;
}

/** What it does beside carrying: nothing, recording, or recording while somebody has the inspector open. */
type Extent = 'off' | 'on' | 'watched';

const NAMES: Readonly<Record<Extent, readonly [id: string, name: string]>> = {
  off: ['weir', 'Weir, capture off'],
  on: ['weir-capture', 'Weir, capture on'],
  watched: ['weir-watched', 'Weir, capture on, inspector open'],
};

/** Weir itself, one engine worker, on a data folder of its own. */
export function weir(extent: Extent, version: string): Product {
  const [id, name] = NAMES[extent];
  return {
    id,
    name,
    isWeir: true,
    isControl: false,
    version: () => version,
    missing: () => (existsSync(WEIR_COMMAND) ? null : 'Weir is not built (npm run build)'),
    start: (setting) => start(setting, extent),
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

async function start(setting: ProductSetting, extent: Extent): Promise<RunningProduct> {
  const port = await freePort();
  const args = [WEIR_COMMAND, 'serve', '--json', '--ui', '127.0.0.1:0', '--data', join(setting.folder, 'data')];
  args.push('--mode', `${modeOf(setting)}@127.0.0.1:${String(port)}`, '--origin-ca', setting.caFile);
  // The same certificate as the others present: signing a leaf of our own is not what these profiles are about.
  if (setting.role.kind === 'reverse') args.push('--cert', setting.certificateFile, '--key', setting.keyFile);
  if (extent === 'off') args.push('--no-capture');
  const probe = probed(setting.folder);
  const child = startChild(process.execPath, [...probe.args, ...args], setting.cores, {
    ...NODE_ENVIRONMENT,
    ...probe.env,
  });
  const { listeners, ui } = JSON.parse(await child.nextLine()) as Ready;
  const running = { child, port: listeners[0]?.port ?? port };
  if (extent === 'off' || ui === null) return running;
  if (extent === 'on') return { ...running, check: () => expectAllRecorded(ui.url) };
  const viewer = startChild(process.execPath, [programPath('viewer'), ui.url], setting.otherCores, NODE_ENVIRONMENT);
  await viewer.nextLine();
  return { ...running, beside: [viewer] };
}

/** A run that lost what it was to record has failed, whatever it carried. */
async function expectAllRecorded(pageUrl: string): Promise<void> {
  const client = await openInspector(pageUrl);
  const { lostExchanges, lostBodies } = await statusOf(client);
  client.close();
  if (lostExchanges + lostBodies === 0) return;
  throw new Error(`${String(lostExchanges)} exchanges and ${String(lostBodies)} bodies were not recorded.`);
}
