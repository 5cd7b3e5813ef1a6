import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { RecordingOrigin } from '../support/recording-origin.ts';
import { runWeir } from '../support/run-weir.ts';
import { WeirProcess } from '../support/weir-process.ts';

let folder: string;
let data: string;
let originCa: string;
let origin: RecordingOrigin;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-replay-'));
  data = join(folder, 'data');
  originCa = join(folder, 'ca.pem');
  await writeFile(originCa, ORIGIN_CA);
  const { cert, key } = originCertificate('localhost');
  const [certificateFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await Promise.all([writeFile(certificateFile, cert), writeFile(keyFile, key)]);
  origin = await RecordingOrigin.start({ certificateFile, keyFile });
  const sent = await runWeir([
    ...['run', '--data', data, '--origin-ca', originCa, '--'],
    ...['curl', '-sS', '-X', 'PUT', '-H', 'X-Odd: 1', '-H', 'x-oDD: 2', '--data-binary', 'contents'],
    origin.url('https', '/echo'),
  ]);
  expect(sent.stderr).toBe('');
});
afterAll(async () => {
  await origin.stop();
  await rm(folder, { recursive: true });
});

/** The last line of standard output. */
function lastObject(stdout: Buffer): Record<string, unknown> {
  return JSON.parse(stdout.toString().trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
}

test('weir replay sends an exchange again by a Weir of its own, and the answer is a new exchange', async () => {
  const before = lastObject((await runWeir(['list', '--data', data, '--json'])).stdout);
  const { code, stdout, stderr } = await runWeir([
    ...['replay', String(before['id']), '--data', data, '--origin-ca', originCa, '--json'],
  ]);
  expect([code, stderr]).toEqual([0, '']);
  const replayed = lastObject(stdout);
  expect(replayed).toMatchObject({ replayOf: before['id'], method: 'PUT', status: 200, complete: true });
  expect(replayed['id']).not.toBe(before['id']);
  expect(origin.seen).toHaveLength(2);
  expect(origin.seen[1]).toEqual(origin.seen[0]);
  const listed = await runWeir(['list', '--data', data, '--filter', 'is:replay', '--json']);
  expect(lastObject(listed.stdout)['id']).toBe(replayed['id']);
});

test('weir replay uses the Weir that runs on the data folder, and sets header fields', async () => {
  const weir = await WeirProcess.start(['--origin-ca', originCa], data);
  const { code, stdout } = await runWeir([
    ...['replay', '1', '--data', data, '--set', 'header:x-odd=set', '--set', 'header:X-New=ü = 2'],
  ]);
  expect(code).toBe(0);
  expect(stdout.toString()).toMatch(/^200 {2}PUT https:\/\/localhost:\d+\/echo in .* a replay of 1\)\n$/);
  const fields = origin.seen.at(-1)?.rawHeaders.join('|') ?? '';
  expect(fields).toContain('X-Odd|set|');
  expect(fields).not.toContain('x-oDD');
  expect(Buffer.from(fields, 'latin1').toString()).toContain('X-New|ü = 2');
  await weir.stop();
});

test.each([
  ['an exchange that is not there', ['999'], 1, 'not in this capture'],
  ['no exchange', [], 2, 'wants the number of an exchange'],
  ['a setting that is no header', ['1', '--set', 'method=GET'], 2, 'header:NAME=VALUE'],
])('weir replay refuses %s', async (_name, args, code, message) => {
  const ended = await runWeir(['replay', '--data', data, ...args]);
  expect(ended.code).toBe(code);
  expect(ended.stderr).toContain(message);
});
