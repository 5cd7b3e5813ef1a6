/**
 * The same products under native generators (wrk, h2load) and a native origin (nginx), which leave a proxy less idle than those of
 * Node: `node bench/native.ts [PROFILE …] [--trials N] [--seconds N]`. Profiles: `http1-small`, `https-http2`. It needs a built
 * Weir (`npm run build`); Markdown goes to standard output.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { closeChildren, freePort, startChild, waitForPort } from './child.ts';
import { commit, environment } from './environment.ts';
import { makeCertificate } from './origin-certificate.ts';
import { readTreeUsage } from './process-tree.ts';
import { products } from './products/index.ts';
import type { Product, ProductSetting } from './products/product.ts';
import { which } from './products/which.ts';
import { PROFILES } from './profiles.ts';

interface Trial {
  readonly cpu: number;
  readonly perSecond: number;
}

const WARM_UP_SECONDS = 2;
const BODY = '{"ok":true,"message":"hello from origin!"}';
const run = promisify(execFile);

/** Generators by profile: their command, and the requests that succeeded in what they print. */
const GENERATORS: Readonly<Record<string, { command(port: number, seconds: number): string[]; count: RegExp }>> = {
  'http1-small': {
    command: (port, seconds) => [
      'wrk',
      '-t1',
      '-c64',
      `-d${String(seconds)}s`,
      `http://127.0.0.1:${String(port)}/small`,
    ],
    count: /(\d+) requests in/,
  },
  'https-http2': {
    command: (port, seconds) => [
      'h2load',
      '-c4',
      '-m16',
      '-D',
      String(seconds),
      `https://127.0.0.1:${String(port)}/small`,
    ],
    count: /(\d+) succeeded/,
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { trials: { type: 'string', default: '5' }, seconds: { type: 'string', default: '6' } },
});
const { productCores, otherCores } = environment();
const folder = mkdtempSync(join(tmpdir(), 'weir-native-'));

/** Succeeded requests of one run of a generator. */
async function generate(id: string, port: number, seconds: number): Promise<number> {
  const generator = GENERATORS[id];
  if (generator === undefined) throw new Error(`There is no native generator for ${id}.`);
  const command = generator.command(port, seconds);
  const pinned = otherCores === null ? command : ['taskset', '-c', otherCores, ...command];
  const [name = '', ...rest] = pinned;
  const { stdout } = await run(name, rest);
  const count = Number(generator.count.exec(stdout)?.[1] ?? 0);
  if (count === 0) throw new Error(`Not one request succeeded:\n${stdout}`);
  return count;
}

async function measure(id: string, product: Product, setting: ProductSetting): Promise<Trial> {
  const seconds = Number(values.seconds);
  const { child, port } = await product.start(setting);
  try {
    await generate(id, port, WARM_UP_SECONDS);
    const before = readTreeUsage(child.pid)?.cpuMicroseconds ?? 0;
    const count = await generate(id, port, seconds);
    const after = readTreeUsage(child.pid)?.cpuMicroseconds ?? 0;
    return { cpu: (after - before) / count, perSecond: count / seconds };
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
  if (runnable === undefined) throw new Error(`There is no profile ${id}.`);
  const origin = { plain, tls: 0, h2: 0, h2c: 0, tcp: 0, udp: 0 };
  const certificate = makeCertificate(folder);
  const chosen = products('').filter(
    (product) => runnable.profile.products.includes(product.id) && product.missing(runnable.role) === null,
  );
  const trials = new Map<string, Trial[]>(chosen.map((product) => [product.id, []]));
  for (let round = 0; round < Number(values.trials); round += 1) {
    for (const product of round % 2 === 0 ? chosen : chosen.toReversed()) {
      const own = mkdtempSync(join(folder, 'product-'));
      const setting = { cores: productCores, origin, folder: own, role: runnable.role, ...certificate };
      process.stderr.write(`${id}: ${product.name}, trial ${String(round + 1)}\n`);
      trials.get(product.id)?.push(await measure(id, product, setting));
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
  for (const id of positionals.length > 0 ? positionals : Object.keys(GENERATORS)) await runProfile(id, plain);
} finally {
  await closeChildren();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
