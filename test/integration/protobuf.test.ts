import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runWeir } from '../support/run-weir.ts';
import { WeirProcess } from '../support/weir-process.ts';

/*
 * A real client and a real server of gRPC with Weir between them, and its commands: what was sent by the names of a schema
 * is read by them again.
 */

const LEVELS = `syntax = "proto3"; package mill.v1;
import "mill/v1/wheel.proto";
import "google/protobuf/timestamp.proto";
service Gauge { rpc Watch(Ask) returns (stream Level); }
message Ask { string river = 1; repeated sint32 marks = 2; map<string, int64> last = 3; }
message Level { google.protobuf.Timestamp at = 1; double metres = 2; State state = 3; Wheel wheel = 4; uint64 drops = 5;
  oneof source { string sensor = 6; bytes raw = 7; } }
enum State { UNKNOWN = 0; HIGH = 1; }`;
const WHEEL = 'syntax = "proto3"; package mill.v1; message Wheel { string name = 1; float speed = 2; Wheel next = 3; }';

const ASK = { river: 'Mürz', marks: [-3, 0, 70_000], last: { 'a "b"': '-5', c: '9007199254740993' } };
const TOLD = [
  { at: { seconds: 1_781_515_800, nanos: 5_000_000 }, metres: -0.25, state: 'HIGH', sensor: 'float\n1' },
  { wheel: { name: 'upper', speed: 1.1, next: { name: 'lower' } }, drops: '18446744073709551615', raw: 'AP8=' },
  {},
];

let folder: string;
let server: Server;
let weir: WeirProcess;
let client: Client;

function schema(): protobuf.Root {
  const root = new protobuf.Root();
  root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')?.nested ?? {});
  for (const source of [WHEEL, LEVELS]) protobuf.parse(source, root, { keepCase: true });
  return root;
}

const types = schema();
const encode =
  (name: string) =>
  (value: object): Buffer => {
    const type = types.lookupType(name);
    return Buffer.from(type.encode(type.fromObject(value)).finish());
  };
const asIs = (bytes: Buffer): Buffer => bytes;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-protobuf-'));
  await mkdir(join(folder, 'protos', 'mill', 'v1'), { recursive: true });
  await writeFile(join(folder, 'levels.proto'), LEVELS);
  await writeFile(join(folder, 'protos', 'mill', 'v1', 'wheel.proto'), WHEEL);
  await writeFile(join(folder, 'bad.proto'), 'syntax = "proto3";\n\nmessage A { int32 }');
  server = new Server();
  server.addService(
    {
      watch: {
        path: '/mill.v1.Gauge/Watch',
        requestStream: false,
        responseStream: true,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: encode('mill.v1.Level'),
        responseDeserialize: asIs,
      },
    },
    {
      watch: (call: ServerWritableStream<Buffer, object>) => {
        for (const level of TOLD) call.write(level);
        call.end();
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  weir = await WeirProcess.start(['--mode', `reverse:h2c://127.0.0.1:${String(port)}@0`]);
  client = new Client(`127.0.0.1:${String(weir.port)}`, credentials.createInsecure());
  const call = client.makeServerStreamRequest('/mill.v1.Gauge/Watch', encode('mill.v1.Ask'), asIs, ASK);
  expect(await call.toArray()).toHaveLength(TOLD.length);
  await weir.listUntil((rows) => rows.some(({ complete }) => complete));
});

afterAll(async () => {
  client.close();
  server.forceShutdown();
  await weir.stop();
  await rm(folder, { recursive: true, force: true });
});

async function protos(...args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await runWeir(['protos', ...args, '--data', weir.dataFolder]);
  return { code, stdout: stdout.toString(), stderr };
}

interface ShownMessage {
  readonly kind: string;
  readonly base64?: string;
  readonly protobuf?: { readonly type: string; readonly message: unknown };
}

async function shown(): Promise<{ readonly messages: readonly ShownMessage[]; readonly text: string }> {
  const [row] = await weir.list();
  const text = (await weir.command('show', String(row?.id), '--messages', '--json')).toString();
  const messages = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ShownMessage);
  return { messages, text };
}

test('messages of a real call are shown by a schema that is given while Weir runs, in any order', async () => {
  expect((await shown()).messages.map(({ protobuf: typed }) => typed)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);

  const first = await protos('add', join(folder, 'levels.proto'));
  expect([first.code, first.stdout]).toEqual([
    0,
    [
      `levels.proto  2 messages, 1 service, ${String(LEVELS.length)} B`,
      '  imports what is not there: mill/v1/wheel.proto',
      '  names types that no file defines: Wheel',
      '',
    ].join('\n'),
  ]);
  const second = await protos('add', join(folder, 'protos'), join(folder, 'bad.proto'));
  expect([second.code, second.stdout]).toEqual([1, `mill/v1/wheel.proto  1 message, ${String(WHEEL.length)} B\n`]);
  expect(second.stderr).toMatch(/bad\.proto, line 3: illegal/);
  const listed = (await protos('list', '--json')).stdout.trim().split('\n');
  expect(listed.map((line) => (JSON.parse(line) as { name: string; missing: string[] }).name)).toEqual([
    'levels.proto',
    'mill/v1/wheel.proto',
  ]);

  const { messages, text } = await shown();
  expect(messages.map(({ protobuf: typed }) => typed?.type)).toEqual([
    'mill.v1.Ask',
    'mill.v1.Level',
    'mill.v1.Level',
    'mill.v1.Level',
  ]);
  expect(messages.map(({ protobuf: typed }) => typed?.message)).toEqual([
    { river: 'Mürz', marks: [-3, 0, 70_000], last: { 'a "b"': -5, c: Number('9007199254740993') } },
    { at: '2026-06-15T09:30:00.005Z', metres: -0.25, state: 'HIGH', sensor: 'float\n1' },
    {
      wheel: { name: 'upper', speed: 1.1, next: { name: 'lower' } },
      drops: Number('18446744073709551615'),
      raw: 'AP8=',
    },
    {},
  ]);
  // Every digit is there, whatever a reader makes of it.
  expect(text).toContain('"c": 9007199254740993');
  expect(text).toContain('"drops": 18446744073709551615');

  const [row] = await weir.list();
  const lines = (await weir.command('show', String(row?.id), '--messages')).toString();
  expect(lines).toContain('river: "Mürz", marks: [-3, 0, 70000], last {a "b": -5, c: 9007199254740993}');
  expect(lines).toContain(
    'wheel {name: "upper", speed: 1.1, next {name: "lower"}}, drops: 18446744073709551615, raw: 2 B',
  );
});

test('a schema is taken away by its name; a wrong name and a wrong word say what there is', async () => {
  await protos('add', join(folder, 'levels.proto'));
  const removed = await protos('remove', 'levels.proto');
  expect([removed.code, removed.stdout]).toEqual([0, 'Removed levels.proto.\n']);
  const again = await protos('remove', 'levels.proto');
  expect([again.code, again.stderr]).toEqual([1, 'weir: There is no schema file levels.proto.\n']);
  expect((await protos('remove', '../settings.json')).stderr).toContain('without dots that lead elsewhere');
  expect((await protos('add', join(folder, 'none.proto'))).stderr).toContain('cannot be read');
  expect((await protos('gather')).code).toBe(2);
  expect((await protos('add')).code).toBe(2);
  expect((await shown()).messages.every(({ protobuf: typed }) => typed === undefined)).toBe(true);
});
