/**
 * The first ratios: reverse HTTP/1 beside nginx, and explicit HTTPS beside the interception proxies, capture on and off,
 * every product under the same generator and origin in one run. Prints Markdown.
 *
 * `node bench/ratios.ts [--seconds N] [--trials N] [--connections N]`
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createOriginCertificate } from './certificate.ts';
import { startChild, type Child } from './child.ts';
import { byteRelay } from './peers/byte-relay.ts';
import { mitmproxyExplicit } from './peers/mitmproxy.ts';
import { mockttpExplicit } from './peers/mockttp.ts';
import { nginxReverse } from './peers/nginx.ts';
import type { Peer } from './peers/peer.ts';
import { weir } from './peers/weir.ts';
import { loadPeer, median, runTrial, type Load, type Trial } from './trial.ts';

const ORIGIN = fileURLToPath(new URL('./origins/http1-origin.ts', import.meta.url));

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    trials: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
  },
});

interface Table {
  readonly title: string;
  readonly explicitTls: boolean;
  readonly peers: readonly Peer[];
  /** Products whose median is divided into the others'; the faster in CPU is the denominator. */
  readonly denominators: readonly string[];
}

const TABLES: readonly Table[] = [
  {
    title: 'Reverse, HTTP/1 to HTTP/1, 42-byte JSON',
    explicitTls: false,
    peers: [nginxReverse('on'), nginxReverse('off'), weir('reverse', false), weir('reverse', true), byteRelay],
    denominators: ['nginx', 'nginx, proxy_buffering off'],
  },
  {
    title: 'Explicit proxy, CONNECT with TLS on both legs, 42-byte JSON',
    explicitTls: true,
    peers: [weir('explicit', false), weir('explicit', true), mockttpExplicit, mitmproxyExplicit],
    denominators: ['Weir, capture on'],
  },
];

const twoCores = cpus().length >= 2;
const productCores = twoCores ? '0' : null;
const otherCores = twoCores ? `1-${String(cpus().length - 1)}` : null;

/** Runs one table: trials alternate the products' order, and the origin's own ceiling is measured first. */
async function runTable(
  table: Table,
  origin: Child,
  ports: { plain: number; tls: number },
  caFile: string,
): Promise<void> {
  const load: Load = {
    connections: Number(options.connections),
    warmUpMs: 2_000,
    measureMs: Number(options.seconds) * 1_000,
    explicitTls: table.explicitTls,
    cores: otherCores,
  };
  const setting = { cores: productCores, originPlainPort: ports.plain, originTlsPort: ports.tls, originCaFile: caFile };
  const direct = await loadPeer(ports.plain, origin.pid, `127.0.0.1:${ports.plain}`, { ...load, explicitTls: false });
  const trials = new Map<string, Trial[]>();
  const missing = new Map<string, string>();
  for (let round = 0; round < Number(options.trials); round += 1) {
    const order = round % 2 === 0 ? table.peers : [...table.peers].reverse();
    for (const peer of order) {
      const why = peer.missing();
      if (why !== null) {
        missing.set(peer.name, why);
        continue;
      }
      process.stderr.write(`${table.title}: ${peer.name}, trial ${String(round + 1)}\n`);
      const trial = await runTrial(peer, load, setting);
      trials.set(peer.name, [...(trials.get(peer.name) ?? []), trial]);
    }
  }
  print(table, direct, trials, missing);
}

function print(table: Table, direct: Trial, trials: Map<string, Trial[]>, missing: Map<string, string>): void {
  const cpu = (name: string): number => median((trials.get(name) ?? []).map((trial) => trial.cpuPerRequest));
  const measured = table.denominators.filter((name) => trials.has(name));
  const denominator = measured.sort((a, b) => cpu(a) - cpu(b))[0];
  const lines = [
    `### ${table.title}`,
    '',
    `Origin direct: ${direct.requestsPerSecond.toFixed(0)} requests/s. CPU ratios divide by ${denominator ?? 'nothing measured'}.`,
    '',
    '| product | CPU µs a request | CPU ratio | requests/s | p50 ms | p99 ms | memory MiB | errors | trials, CPU µs |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---|',
  ];
  for (const peer of table.peers) {
    const runs = trials.get(peer.name);
    if (runs === undefined) {
      lines.push(`| ${peer.name} | not measured: ${missing.get(peer.name) ?? 'unknown'} | | | | | | | |`);
      continue;
    }
    const of = (pick: (trial: Trial) => number): number => median(runs.map(pick));
    const ratio = denominator === undefined ? '' : `${(cpu(peer.name) / cpu(denominator)).toFixed(2)}×`;
    lines.push(
      `| ${peer.name} | ${cpu(peer.name).toFixed(1)} | ${ratio} | ${of((trial) => trial.requestsPerSecond).toFixed(0)} ` +
        `| ${of((trial) => trial.p50).toFixed(2)} | ${of((trial) => trial.p99).toFixed(2)} ` +
        `| ${(of((trial) => trial.residentBytes) / 1_048_576).toFixed(0)} | ${of((trial) => trial.errors).toFixed(0)} ` +
        `| ${runs.map((trial) => trial.cpuPerRequest.toFixed(1)).join(', ')} |`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

const folder = mkdtempSync(join(tmpdir(), 'weir-bench-origin-'));
const certificate = createOriginCertificate(folder);
const origin = startChild(
  process.execPath,
  [ORIGIN, '42', certificate.certificateFile, certificate.keyFile],
  otherCores,
);
try {
  const ports = JSON.parse(await origin.nextLine()) as { plain: number; tls: number };
  process.stdout.write(
    `${new Date().toISOString().slice(0, 10)}, commit ${commit()}, ${cpus()[0]?.model ?? 'unknown CPU'} × ${String(cpus().length)}, ` +
      `${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}. Product on core ${productCores ?? 'any'}, generator and origin on ` +
      `${otherCores ?? 'any'}; ${options.connections} connections, ${options.trials} trials of ${options.seconds} s after 2 s of warm-up.\n\n`,
  );
  for (const table of TABLES) await runTable(table, origin, ports, certificate.caFile);
} finally {
  await origin.close();
  rmSync(folder, { recursive: true, force: true });
}
