/**
 * A long run at full rate with everything recorded: `node test/scale/soak.ts [--seconds 600] [--window 20] [--keep BYTES]`. One
 * Weir, built (`npm run build`), with its usual settings on a fresh data folder, but for how much it keeps where that is said;
 * 64 connections that are never idle. After each window it is asked how it does, so it indexes as it does under somebody's
 * eyes. Markdown goes to standard output.
 */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AppStatus } from '#contract';
import { createContractClient } from '#contract';
import { connectToBackend } from '../../app/backend/connect-to-backend.ts';
import { describeDataFolder } from '../../app/backend/data-folder.ts';
import { findRunningBackend } from '../../app/backend/ownership.ts';
import { closeChildren, startChild } from '../../bench/child.ts';
import { commit, environment } from '../../bench/environment.ts';
import { makeCertificate } from '../../bench/origin-certificate.ts';
import { PROFILES } from '../../bench/profiles.ts';
import { NODE_ENVIRONMENT, programPath, WEIR_COMMAND } from '../../bench/programs.ts';
import { load } from '../../bench/trial.ts';
import type { OriginPorts } from '../../bench/workload.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    window: { type: 'string', default: '20' },
    keep: { type: 'string' },
  },
});
const windows = Math.max(1, Math.round(Number(values.seconds) / Number(values.window)));
const profile = PROFILES.find((one) => one.profile.id === 'http1-small');
if (profile === undefined) throw new Error('There is no profile of small requests.');
const { productCores, otherCores } = environment();
const folder = await mkdtemp(join(tmpdir(), 'weir-soak-'));
const data = join(folder, 'data');

try {
  const made = makeCertificate(folder);
  const files = [made.certificateFile, made.keyFile, made.newNamesCertificateFile, made.newNamesKeyFile];
  const origin = startChild(process.execPath, [programPath('origin'), ...files], otherCores, NODE_ENVIRONMENT);
  const { plain } = JSON.parse(await origin.nextLine()) as OriginPorts;
  const mode = `reverse:http://127.0.0.1:${String(plain)}@127.0.0.1:0`;
  const args = [WEIR_COMMAND, 'serve', '--json', '--ui', '127.0.0.1:0', '--data', data, '--mode', mode];
  if (values.keep !== undefined) {
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify({ retention: { days: 14, bytes: Number(values.keep), exchanges: 0 } }));
    args.push('--config', config);
  }
  const weir = startChild(process.execPath, args, productCores);
  const ready = JSON.parse(await weir.nextLine()) as { listeners: readonly { port: number }[] };
  const port = ready.listeners[0]?.port ?? 0;
  const lines: string[] = [];
  let exchanges = 0;
  for (let number = 1; number <= windows; number += 1) {
    const intensity = {
      ...{ warmUpMs: number === 1 ? 2_000 : 0, measureMs: Number(values.window) * 1_000, connections: 64 },
      ...{ http2: { connections: 4, streams: 16 }, rate: null, cores: otherCores },
    };
    const trial = await load(
      profile,
      { port, way: { kind: 'direct' }, pid: weir.pid, isWeir: true, loopDelays: null },
      intensity,
      () => undefined,
    );
    exchanges += trial.operations;
    const status = await statusOf(data);
    const { anonymous, resident } = memoryOf(weir.pid);
    const cells = [
      String(number * Number(values.window)),
      trial.operationsPerSecond.toFixed(0),
      (trial.cpuPerOperation ?? 0).toFixed(1),
      ...[trial.p50, trial.p99, trial.p999, trial.max].map((value) => (value ?? 0).toFixed(1)),
      String(trial.errors),
      String(status.lostExchanges),
      String(status.lostBodies),
      `${status.searchLag >= 100_000 ? '≥ ' : ''}${String(status.searchLag)}`,
      anonymous,
      resident,
      ((await sizeOf(data)) / 2 ** 20).toFixed(0),
      String(status.session.exchanges),
    ];
    lines.push(`| ${cells.join(' | ')} |`);
    process.stderr.write(`${lines.at(-1) ?? ''}\n`);
  }
  await weir.close();
  await origin.close();
  process.stdout.write(`commit ${commit()}, ${String(exchanges)} exchanges in the windows\n\n`);
  process.stdout.write(
    '| after s | exchanges/s | CPU µs each | p50 ms | p99 | p99.9 | most | errors | exchanges lost | bodies lost | not indexed | anonymous MiB | resident MiB | folder MiB | in the session |\n',
  );
  process.stdout.write(`|${'---:|'.repeat(15)}\n${lines.join('\n')}\n`);
} finally {
  await closeChildren();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

async function statusOf(dataFolder: string): Promise<AppStatus> {
  const running = findRunningBackend(describeDataFolder(dataFolder));
  if (running === null) throw new Error('Weir has ended.');
  const client = createContractClient(await connectToBackend(running));
  const { promise, resolve } = Promise.withResolvers<AppStatus>();
  client.stream(
    'app.status',
    {},
    {
      items: ([status]) => {
        if (status !== undefined) resolve(status);
      },
      gap: () => undefined,
      ended: () => undefined,
    },
  );
  const status = await promise;
  // Nobody searches before somebody reads: the index is kept from the first question on.
  await client.call('exchanges.count', { session: status.session.id, filter: '' });
  client.close();
  return status;
}

/** MiB: what is Weir's own, and everything that is in memory for it, pages of its files among it. */
function memoryOf(pid: number): { readonly anonymous: string; readonly resident: string } {
  const text = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const of = (name: string): string =>
    (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1_024).toFixed(0);
  return { anonymous: of('RssAnon'), resident: of('VmRSS') };
}

async function sizeOf(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { recursive: true })) {
    bytes += await stat(join(path, entry)).then(
      (found) => (found.isFile() ? found.size : 0),
      () => 0, // gone meanwhile
    );
  }
  return bytes;
}
