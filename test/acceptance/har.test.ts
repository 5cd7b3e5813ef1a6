import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

/* HAR files that are larger than memory should be for them, in and out again by the command line. */

const COMMAND = fileURLToPath(new URL('../../app/cli/index.ts', import.meta.url));
/** Bytes of the larger file; `WEIR_FULL=1` writes the whole gigabyte. The smaller one is an eighth of it. */
const BYTES = process.env['WEIR_FULL'] === '1' ? 2 ** 30 : 2 ** 28;
/** How much more the larger file may take, bytes: garbage that nobody collected yet, and SQLite's cache. */
const SLACK = 160 * 2 ** 20;
const BODY_BYTES = [200, 2_000, 12_000, 60_000];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-har-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** @returns how many entries it wrote */
async function writeHar(path: string, bytes: number): Promise<number> {
  const file = createWriteStream(path);
  let written = 0;
  let entries = 0;
  const write = async (text: string): Promise<void> => {
    written += text.length;
    if (!file.write(text)) await once(file, 'drain');
  };
  await write('{"log":{"version":"1.2","creator":{"name":"test","version":"1"},"entries":[');
  for (; written < bytes; entries += 1) {
    const size = BODY_BYTES[entries % BODY_BYTES.length] ?? 0;
    const text = JSON.stringify({ entry: entries, text: `item ${String(entries)} `.repeat(size / 12) });
    const entry = {
      startedDateTime: new Date(Date.UTC(2026, 2, 1) + entries * 20).toISOString(),
      time: 12.5,
      request: {
        ...{ method: 'GET', url: `https://api.example.test/items/${String(entries)}`, httpVersion: 'HTTP/1.1' },
        headers: [{ name: 'Host', value: 'api.example.test' }],
      },
      response: {
        ...{ status: 200, statusText: 'OK', httpVersion: 'HTTP/1.1' },
        headers: [{ name: 'Content-Type', value: 'application/json' }],
        content: { mimeType: 'application/json', size: text.length, text },
      },
      timings: { send: 0, wait: 10, receive: 2.5 },
    };
    await write(`${entries === 0 ? '' : ','}${JSON.stringify(entry)}`);
  }
  await write(']}}');
  file.end();
  await once(file, 'finish');
  return entries;
}

/** Runs a command and answers the most that was ever resident, bytes. */
async function peakOf(...args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  let peak = 0;
  const timer = setInterval(() => {
    const status = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8');
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024);
  }, 100);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(timer);
  expect(code, errors).toBe(0);
  return peak;
}

async function count(path: string, text: string): Promise<number> {
  let found = 0;
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: 2 ** 20 })) {
    const whole = rest + String(chunk);
    found += whole.split(text).length - 1;
    rest = whole.slice(1 - text.length);
  }
  return found;
}

test.runIf(process.platform === 'linux')('go in and out in memory that does not grow with them', async () => {
  const peaks: { readonly bytes: number; readonly imported: number; readonly exported: number }[] = [];
  for (const bytes of [BYTES / 8, BYTES]) {
    const name = String(bytes);
    const [file, data, out] = [join(folder, `${name}.har`), join(folder, name), join(folder, `${name}-out.har`)];
    const entries = await writeHar(file, bytes);
    const imported = await peakOf('import', file, '--data', data);
    await rm(file);
    const exported = await peakOf('export', '--data', data, '--format', 'har', '-o', out);
    expect(await count(out, '"startedDateTime"')).toBe(entries);
    peaks.push({ bytes, imported, exported });
  }
  const [small, large] = peaks;
  const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
  for (const { bytes, imported, exported } of peaks)
    process.stdout.write(`${mib(bytes)} MiB: peak of import ${mib(imported)} MiB, of export ${mib(exported)} MiB\n`);
  expect(large?.imported).toBeLessThan((small?.imported ?? 0) + SLACK);
  expect(large?.exported).toBeLessThan((small?.exported ?? 0) + SLACK);
});
