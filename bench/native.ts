/**
 * The same products under native generators (wrk, h2load) and a native origin (nginx), which leave a proxy less idle than those of
 * Node: `node bench/native.ts [PROFILE …] [--trials N] [--seconds N]`. Profiles: `http1-small`, `https-http2`. It needs a built
 * Weir (`npm run build`); Markdown goes to standard output.
 */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { closeChildren, freePort, startChild, waitForPort } from './child.ts';
import { commit, environment } from './environment.ts';
import { measureNatively } from './native-load.ts';
import { makeCertificate } from './origin-certificate.ts';
import { products } from './products/index.ts';
import type { Product, ProductSetting } from './products/product.ts';
import { which } from './products/which.ts';
import { PROFILES, type RunnableProfile } from './profiles.ts';

type Startable = Product & { readonly start: NonNullable<Product['start']> };

interface Trial {
  readonly cpu: number;
  readonly perSecond: number;
}

const WARM_UP_SECONDS = 2;
const BODY = '{"ok":true,"message":"hello from origin!"}';

/** What can be measured so. */
const PROFILE_IDS = ['http1-small', 'https-http2'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { trials: { type: 'string', default: '5' }, seconds: { type: 'string', default: '6' } },
});
const { productCores, otherCores } = environment();
const folder = mkdtempSync(join(tmpdir(), 'weir-native-'));

async function measure(runnable: RunnableProfile, product: Startable, setting: ProductSetting): Promise<Trial> {
  const { child, port } = await product.start(setting);
  const { protocol, path, tls } = runnable.load;
  const http2 = protocol === 'http2';
  const load = { http2, tls, path, port, connections: http2 ? 4 : 64, streams: http2 ? 16 : 1 };
  const length = { warmUpMs: WARM_UP_SECONDS * 1_000, measureMs: Number(values.seconds) * 1_000, cores: otherCores };
  try {
    const { cpuPerOperation, operationsPerSecond } = await measureNatively(load, child.pid, length);
    return { cpu: cpuPerOperation ?? 0, perSecond: operationsPerSecond };
  } finally {
    await child.close();
  }
}

/** An origin that costs next to nothing. @returns its port */
async function startOrigin(): Promise<number> {
  const port = await freePort();
  const own = join(folder, 'origin');
  mkdirSync(join(own, 'logs'), { recursive: true });
  writeFileSync(
    join(own, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${join(own, 'pid')}; error_log ${join(own, 'logs/error.log')};
events { worker_connections 1024; }
http { access_log off; keepalive_requests 1000000000;
  server { listen 127.0.0.1:${String(port)}; location / { default_type application/json; return 200 '${BODY}'; } } }`,
  );
  const child = startChild(which('nginx') ?? 'nginx', ['-p', own, '-c', join(own, 'nginx.conf')], otherCores);
  await waitForPort(port, child);
  return port;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)] ?? 0;
}

async function runProfile(id: string, plain: number): Promise<void> {
  const runnable = PROFILES.find(({ profile }) => profile.id === id);
  if (runnable === undefined || !PROFILE_IDS.includes(id)) throw new Error(`There is no native generator for ${id}.`);
  const origin = { plain, tls: 0, h2: 0, h2c: 0, tcp: 0, udp: 0 };
  const certificate = makeCertificate(folder);
  const chosen = products('').flatMap((product): Startable[] => {
    const takesPart = runnable.profile.products.includes(product.id) && product.missing(runnable.role) === null;
    return takesPart && product.start !== null ? [{ ...product, start: product.start }] : [];
  });
  const trials = new Map<string, Trial[]>(chosen.map((product) => [product.id, []]));
  for (let round = 0; round < Number(values.trials); round += 1) {
    for (const product of round % 2 === 0 ? chosen : chosen.toReversed()) {
      const own = mkdtempSync(join(folder, 'product-'));
      const setting = { cores: productCores, otherCores, origin, folder: own, role: runnable.role, ...certificate };
      process.stderr.write(`${id}: ${product.name}, trial ${String(round + 1)}\n`);
      trials.get(product.id)?.push(await measure(runnable, product, setting));
      rmSync(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  }
  const best = Math.min(
    ...['nginx', 'nginx-unbuffered'].map(
      (rival) => median((trials.get(rival) ?? []).map(({ cpu }) => cpu)) || Infinity,
    ),
  );
  process.stdout.write(`## ${runnable.profile.title}\n\n`);
  process.stdout.write(
    '| product | CPU µs a request | ÷ nginx’s best | requests/s | CPU of each trial |\n|---|---:|---:|---:|---|\n',
  );
  for (const product of chosen) {
    const own = trials.get(product.id) ?? [];
    const cpu = median(own.map((trial) => trial.cpu));
    const rate = Math.round(median(own.map(({ perSecond }) => perSecond)));
    const each = own.map((trial) => trial.cpu.toFixed(1)).join(' · ');
    const ratio = Number.isFinite(best) ? `${(cpu / best).toFixed(2)}×` : '–';
    process.stdout.write(`| ${product.name} | ${cpu.toFixed(1)} | ${ratio} | ${String(rate)} | ${each} |\n`);
  }
  process.stdout.write('\n');
}

try {
  const { cpu, cores, runtime } = environment();
  process.stdout.write(`Commit ${commit() ?? 'unknown'}, ${cpu} × ${String(cores)}, ${runtime}; `);
  process.stdout.write(
    `${values.trials} trials of ${values.seconds} s after ${String(WARM_UP_SECONDS)} s of warm-up.\n\n`,
  );
  const plain = await startOrigin();
  for (const id of positionals.length > 0 ? positionals : PROFILE_IDS) await runProfile(id, plain);
} finally {
  await closeChildren();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
