import type { ChildProcess } from 'node:child_process';
import { execFile, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { runWeir } from '../support/run-weir.ts';
import { WeirProcess } from '../support/weir-process.ts';

const execute = promisify(execFile);
const COMMAND = fileURLToPath(new URL('../../app/cli/index.ts', import.meta.url));
/** Every byte value, so that nothing on the way may treat it as text. */
const BODY = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let folder: string;
let originCa: string;
let plain: Server;
let secure: Server;

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function urlOf(server: Server, path: string): string {
  const { port } = server.address() as AddressInfo;
  return `${server === secure ? 'https' : 'http'}://localhost:${String(port)}${path}`;
}

function answer(...[request, response]: Parameters<NonNullable<Parameters<typeof createServer>[1]>>): void {
  request.resume().on('end', () => {
    if (request.url === '/gzip') {
      response.writeHead(
        200,
        [
          ['Content-Type', 'application/octet-stream'],
          ['X-Twice', 'one'],
          ['x-twice', 'two'],
          ['Content-Encoding', 'gzip'],
        ].flat(),
      );
      response.end(gzipSync(BODY));
    } else {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end('hello');
    }
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-cli-'));
  originCa = join(folder, 'origin-ca.pem');
  await writeFile(originCa, ORIGIN_CA);
  plain = createServer(answer);
  secure = createTlsServer(originCertificate('localhost'), answer);
  await Promise.all([listen(plain), listen(secure)]);
});

afterAll(async () => {
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true });
});

/** Fetches by curl through a Weir and returns the body. */
async function curl(weir: WeirProcess, url: string, ...args: string[]): Promise<Buffer> {
  const proxy = ['--proxy', weir.proxyUrl, '--noproxy', '', '--cacert', weir.ready.ca];
  const { stdout } = await execute('curl', ['-sS', ...proxy, ...args, url], { encoding: 'buffer', maxBuffer: 2 ** 27 });
  return stdout;
}

describe('one serve, used from outside', () => {
  let weir: WeirProcess;

  beforeAll(async () => {
    weir = await WeirProcess.start(['--origin-ca', originCa]);
    await curl(weir, urlOf(plain, '/plain?x=1'));
    await curl(weir, urlOf(secure, '/gzip'), '--data-binary', `@${originCa}`);
    await weir.listUntil((rows) => rows.filter(({ complete }) => complete).length === 2);
  });

  afterAll(async () => {
    await weir.stop();
  });

  test('its ready line names listeners, inspector, certificate, folder and process', async () => {
    const { ready } = weir;
    expect(Object.keys(ready)).toEqual(['ready', 'listeners', 'ui', 'ca', 'data', 'pid']);
    expect(ready).toMatchObject({ ready: true, data: weir.dataFolder, ca: join(weir.dataFolder, 'ca', 'weir-ca.pem') });
    expect(ready.listeners).toEqual([{ mode: 'proxy', address: '127.0.0.1', port: weir.port }]);
    expect(ready.ui?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{20,}$/);
    expect(await weir.caCertificate()).toContain('BEGIN CERTIFICATE');
    expect(() => process.kill(ready.pid, 0)).not.toThrow();
  });

  test('list --json has a line for each exchange, oldest first, with the documented fields', async () => {
    const [first, second] = await weir.list();
    expect(first).toMatchObject({
      session: expect.any(Number) as number,
      kind: 'http',
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
      durationMs: expect.any(Number) as number,
      method: 'GET',
      url: urlOf(plain, '/plain?x=1'),
      host: 'localhost',
      status: 200,
      client: { address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string, protocol: 'http/1.1' },
      origin: { address: expect.stringMatching(/:\d+$/) as string, protocol: 'http/1.1' },
      requestBodyBytes: 0,
      responseBodyBytes: 5,
      error: null,
      anomalies: [],
      complete: true,
    });
    expect(second).toMatchObject({
      method: 'POST',
      url: urlOf(secure, '/gzip'),
      requestBodyBytes: Buffer.byteLength(ORIGIN_CA),
      responseBodyBytes: gzipSync(BODY).length,
    });
    expect(second?.id).toBeGreaterThan(first?.id ?? 0);
  });

  test('list takes a filter and a limit', async () => {
    expect(await weir.list('--filter', 'method:post')).toHaveLength(1);
    expect(await weir.list('--filter', 'status:>=400')).toHaveLength(0);
    const { stdout } = await runWeir(['list', '--json', '--limit', '1', '--data', weir.dataFolder]);
    expect(stdout.toString().trim().split('\n')).toHaveLength(1);
    expect(stdout.toString()).toContain('/gzip');
  });

  test('list without --json is one readable line for each exchange', async () => {
    const lines = (await weir.command('list')).toString().trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/200\s+POST\s+https:\/\/localhost:\d+\/gzip/);
  });

  test('a filter that is wrong is wrong usage, and the message points at the place', async () => {
    const { code, stderr } = await runWeir(['list', '--filter', 'status:abc', '--data', weir.dataFolder]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/status:abc\n\s+\^/);
  });

  test('show --json has both heads as on the wire, timing and TLS for each leg', async () => {
    const [, second] = await weir.list();
    const shown = JSON.parse((await weir.command('show', String(second?.id), '--json')).toString()) as {
      request: { headers: [string, string][] };
      response: { headers: [string, string][]; trailers: unknown[] };
      timing: Record<string, number | null>;
      tls: { client: { version: string } | null; origin: { version: string; verified: boolean } | null };
      messages: unknown[];
    };
    expect(shown.request.headers).toContainEqual(['Content-Length', String(Buffer.byteLength(ORIGIN_CA))]);
    const twice = shown.response.headers.filter(([name]) => name.toLowerCase() === 'x-twice');
    expect(twice).toEqual([
      ['X-Twice', 'one'],
      ['x-twice', 'two'],
    ]);
    expect(shown.response.trailers).toEqual([]);
    expect(Object.keys(shown.timing)).toEqual(['dns', 'connect', 'tls', 'sent', 'firstByte', 'end']);
    expect(shown.timing['end']).toBeGreaterThan(0);
    expect(shown.tls.client?.version).toBe('TLSv1.3');
    expect(shown.tls.origin).toMatchObject({ version: 'TLSv1.3', verified: true });
    expect(shown.messages).toEqual([]);
  });

  test('show --body prints the decoded body byte for byte, and --raw the bytes of the wire', async () => {
    const [, second] = await weir.list();
    const id = String(second?.id);
    expect(sha256(await weir.command('show', id, '--body', 'response'))).toBe(sha256(BODY));
    expect((await weir.command('show', id, '--body', 'request')).toString()).toBe(ORIGIN_CA);
    const raw = await weir.command('show', id, '--raw', 'response');
    expect(raw.toString('latin1')).toMatch(
      /^HTTP\/1\.1 200 OK\r\nContent-Type: application\/octet-stream\r\nX-Twice: one\r\n/,
    );
    const request = (await weir.command('show', id, '--raw', 'request')).toString('latin1');
    expect(request).toMatch(/^POST \/gzip HTTP\/1\.1\r\nHost: localhost:\d+\r\n/);
    expect(request.endsWith(ORIGIN_CA)).toBe(true);
  });

  test('show --raw --sent prints what was forwarded', async () => {
    const [first] = await weir.list();
    const id = String(first?.id);
    const received = (await weir.command('show', id, '--raw', 'request')).toString('latin1');
    const sent = (await weir.command('show', id, '--raw', 'request', '--sent')).toString('latin1');
    expect(received).toMatch(/^GET http:\/\/localhost:\d+\/plain\?x=1 HTTP\/1\.1\r\n/);
    expect(sent).toMatch(/^GET \/plain\?x=1 HTTP\/1\.1\r\n/);
    expect(sent).not.toMatch(/proxy-connection/i);
  });

  test('show of what does not exist fails with exit code 1', async () => {
    const { code, stderr } = await runWeir(['show', '999999', '--json', '--data', weir.dataFolder]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/999999|not found|no exchange/i);
  });

  test('export writes HAR and curl commands, privately into a file', async () => {
    const file = join(folder, 'out.har');
    const { code } = await runWeir(['export', '--format', 'har', '-o', file, '--data', weir.dataFolder]);
    expect(code).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const har = JSON.parse(await readFile(file, 'utf8')) as {
      log: { version: string; entries: { request: { url: string } }[] };
    };
    expect(har.log.version).toBe('1.2');
    expect(har.log.entries.map(({ request }) => request.url)).toEqual([
      urlOf(plain, '/plain?x=1'),
      urlOf(secure, '/gzip'),
    ]);
    const preview = (
      await weir.command('export', '--format', 'har', '--redact-header', 'Host', '--preview')
    ).toString();
    expect(preview).toMatch(/would leave\.\n.*\nBlanked: [1-9]\d* header values?, 0 cookies/s);
    const wrong = await runWeir(['export', '--format', 'har', '--redact-json', '$.a[', '--data', weir.dataFolder]);
    expect(wrong.code).toBe(2);
    const curls = (await weir.command('export', '--format', 'curl', '--filter', 'method:get')).toString();
    expect(curls).toMatch(/^curl .*\/plain\?x=1/m);
  });

  test('a reader that closes standard output early ends a command without a word', async () => {
    const command = `"$0" "$1" list --json --data "$2" | head -c 5`;
    const { stdout, stderr } = await execute('sh', ['-c', command, process.execPath, COMMAND, weir.dataFolder]);
    expect(stdout).toBe('{"id"');
    expect(stderr).toBe('');
  });

  test('a second serve attaches: its listener works while it lives, and its traffic is in the same list', async () => {
    const second = await WeirProcess.start([], weir.dataFolder);
    expect(second.pid).not.toBe(weir.pid);
    expect(second.ready).toMatchObject({ data: weir.dataFolder, attachedTo: weir.pid });
    const before = (await weir.list()).length;
    await curl(second, urlOf(plain, '/second'));
    await weir.listUntil((rows) => rows.length === before + 1);
    expect(await second.stop({ keepData: true })).toBe(0);
    expect(second.errors).toContain('Attached');
    await expect(curl(second, urlOf(plain, '/third'))).rejects.toMatchObject({ code: 7 });
    expect((await curl(weir, urlOf(plain, '/fourth'))).toString()).toBe('hello');
  });

  test('a listener of a second serve on a taken port fails with exit code 1 and says which', async () => {
    const args = ['serve', '--data', weir.dataFolder, '--listen', `127.0.0.1:${String(weir.port)}`];
    const { code, stderr } = await runWeir(args);
    expect(code).toBe(1);
    expect(stderr).toContain(String(weir.port));
  });

  test('run uses the Weir that runs', async () => {
    const script = 'curl -sS "$0"';
    const { code, stdout } = await runWeir([
      'run',
      '--data',
      weir.dataFolder,
      '--',
      'sh',
      '-c',
      script,
      urlOf(secure, '/run'),
    ]);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: 'hello' });
    await weir.listUntil((rows) => rows.some(({ url }) => url.endsWith('/run')));
  });
});

test('SIGINT and SIGTERM drain, flush and exit with 0', async () => {
  const weir = await WeirProcess.start();
  await curl(weir, urlOf(plain, '/last'));
  expect(await weir.stop({ keepData: true })).toBe(0);
  const { stdout } = await runWeir(['list', '--json', '--data', weir.dataFolder]);
  expect(JSON.parse(stdout.toString())).toMatchObject({ url: urlOf(plain, '/last'), complete: true });
  await rm(weir.dataFolder, { recursive: true });
});

test('a taken port is an error that names it, and nothing is left running', async () => {
  const blocker = createTcpServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const { port } = blocker.address() as AddressInfo;
  const data = join(folder, 'taken');
  for (const workers of ['1', '2']) {
    const args = ['serve', '--data', data, '--ui', '127.0.0.1:0', '--workers', workers];
    const { code, stdout, stderr } = await runWeir([...args, '--listen', `127.0.0.1:${String(port)}`, '--json']);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`127.0.0.1:${String(port)}`);
  }
  const ui = await runWeir(['serve', '--data', data, '--listen', '127.0.0.1:0', '--ui', `127.0.0.1:${String(port)}`]);
  expect(ui.code).toBe(1);
  expect(ui.stderr).toContain('--ui');
  blocker.close();
});

test('several workers share a port and their exchanges one list', async () => {
  const weir = await WeirProcess.start(['--workers', '2']);
  await Promise.all(Array.from({ length: 8 }, (_, index) => curl(weir, urlOf(plain, `/${String(index)}`))));
  const rows = await weir.listUntil((listed) => listed.length === 8);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(8);
  expect(await weir.stop()).toBe(0);
});

test('--no-capture carries traffic and records nothing', async () => {
  const weir = await WeirProcess.start(['--no-capture']);
  expect((await curl(weir, urlOf(plain, '/unseen'))).toString()).toBe('hello');
  expect(await weir.list()).toEqual([]);
  await weir.stop();
});

/** Starts a command beside a channel to this process, and resolves when it has said `hint` on standard error. */
function startBeside(args: readonly string[], hint: RegExp): Promise<{ child: ChildProcess; said: string }> {
  return new Promise((resolve, reject) => {
    const child = fork(COMMAND, [...args], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let said = '';
    child.stderr?.on('data', (text: Buffer) => {
      said += text.toString();
      if (hint.test(said)) resolve({ child, said });
    });
    child.once('exit', () => {
      reject(new Error(`It ended: ${said}`));
    });
  });
}

test('--no-ui serves no pages, says so to who wants them, and is still found by other commands', async () => {
  const data = join(folder, 'no-ui');
  const args = ['serve', '--no-ui', '--listen', '127.0.0.1:0', '--data', data];
  const { child, said } = await startBeside(args, /data folder/);
  expect(said).not.toContain('#code=');
  const opened = await runWeir(['open', '--browser', '--data', data]);
  expect(opened.code).toBe(1);
  expect(opened.stderr).toContain('--no-ui');
  const { stdout } = await runWeir(['run', '--data', data, '--', 'sh', '-c', 'curl -sS http://weir.test/ca.pem']);
  expect(stdout.toString()).toContain('BEGIN CERTIFICATE');
  const ended = once(child, 'exit');
  child.kill();
  expect(await ended).toEqual([0, null]);
});

test('a serve ends as asked when the process that started it is gone', async () => {
  const data = join(folder, 'orphan');
  const { child } = await startBeside(['serve', '--ui', ':0', '--listen', ':0', '--data', data], /data folder/);
  const ended = once(child, 'exit');
  child.disconnect();
  expect(await ended).toEqual([0, null]);
});

test('open shows the inspector of the Weir that runs, with a new code each time', async () => {
  const data = join(folder, 'open');
  const running = await startBeside(['open', '--browser', '--data', data], /#code=/);
  const again = await runWeir(['open', '--browser', '--data', data]);
  expect(again.code).toBe(0);
  const url = /http:\S+#code=\S+/;
  const [first = '', second = ''] = [running.said, again.stderr].map((text) => url.exec(text)?.[0] ?? '');
  expect(second).not.toBe(first);
  expect(second.split('#')[0]).toBe(first.split('#')[0]);

  const file = join(folder, 'opened.har');
  const request = { method: 'GET', url: 'http://opened.test/', httpVersion: 'HTTP/1.1', headers: [] };
  await writeFile(file, JSON.stringify({ log: { entries: [{ startedDateTime: '2026-11-30T12:00:00Z', request }] } }));
  const opened = await runWeir([file, '--browser', '--data', data]);
  const [, session = ''] = /#code=\S+&session=(\d+)/.exec(opened.stderr) ?? [];
  expect(opened.stderr).toContain(`Imported 1 exchanges into session ${session} (opened.har).`);
  const { stdout } = await runWeir(['list', '--data', data, '--session', session, '--json']);
  expect(JSON.parse(stdout.toString())).toMatchObject({ url: 'http://opened.test/' });

  const ended = once(running.child, 'exit');
  running.child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

test('a serve whose messages nobody reads goes on', async () => {
  const data = join(folder, 'unread');
  const args = ['serve', '--ui', ':0', '--listen', ':0', '--data', data];
  const { child } = await startBeside(args, /listens on/);
  child.stderr?.destroy();
  const second = await WeirProcess.start([], data);
  expect(second.ready).toMatchObject({ attachedTo: child.pid });
  await second.stop({ keepData: true });
  const ended = once(child, 'exit');
  child.kill();
  expect(await ended).toEqual([0, null]);
});

describe('run', () => {
  test('brings a Weir of its own where none runs, and its exit code is the command’s', async () => {
    const data = join(folder, 'run');
    const script = 'curl -sS "$0" && exit 7';
    const args = ['run', '--data', data, '--origin-ca', originCa, '--', 'sh', '-c', script, urlOf(secure, '/alone')];
    const { code, stdout } = await runWeir(args);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 7, stdout: 'hello' });
    const listed = await runWeir(['list', '--json', '--data', data]);
    expect(JSON.parse(listed.stdout.toString())).toMatchObject({ url: urlOf(secure, '/alone'), complete: true });
  });

  test('answers as a shell does for a command that does not exist or is ended by a signal', async () => {
    const data = join(folder, 'run');
    expect((await runWeir(['run', '--data', data, '--', 'no-such-command-here'])).code).toBe(127);
    expect((await runWeir(['run', '--data', data, '--', 'sh', '-c', 'kill -TERM $$'])).code).toBe(143);
  });

  test('sets the documented environment', async () => {
    const { stdout } = await runWeir(['run', '--data', join(folder, 'run'), '--', 'env']);
    const names = stdout
      .toString()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toEqual(
      expect.arrayContaining(
        `HTTP_PROXY HTTPS_PROXY ALL_PROXY WS_PROXY WSS_PROXY NO_PROXY http_proxy https_proxy all_proxy ws_proxy wss_proxy
         no_proxy NODE_EXTRA_CA_CERTS NODE_USE_ENV_PROXY SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO
         CARGO_HTTP_CAINFO DENO_CERT AWS_CA_BUNDLE PERL_LWP_SSL_CA_FILE GLOBAL_AGENT_HTTP_PROXY JAVA_TOOL_OPTIONS`.split(
          /\s+/,
        ),
      ),
    );
  });
});

describe('ca', () => {
  test('show and export agree, make the authority at first use, and never print its key', async () => {
    const data = join(folder, 'ca');
    const shown = (await runWeir(['ca', 'show', '--data', data])).stdout.toString();
    const pem = (await runWeir(['ca', 'export', '--data', data])).stdout.toString();
    const der = (await runWeir(['ca', 'export', '--format', 'der', '--data', data])).stdout;
    expect(pem).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(pem).not.toContain('PRIVATE KEY');
    const fingerprint = sha256(der)
      .toUpperCase()
      .replace(/..(?!$)/g, '$&:');
    expect(shown).toContain(fingerprint);
  });

  test('the key leaves only with a password', async () => {
    const data = join(folder, 'ca');
    const without = await runWeir(['ca', 'export', '--with-key', '--data', data]);
    expect(without).toMatchObject({ code: 2 });
    const file = join(folder, 'key.pem');
    const env = { WEIR_KEY_PASSWORD: 'correct horse' };
    const { code } = await runWeir(['ca', 'export', '--with-key', '-o', file, '--data', data], { env });
    expect(code).toBe(0);
    expect(await readFile(file, 'utf8')).toContain('BEGIN ENCRYPTED PRIVATE KEY');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

test('doctor tells what it found', async () => {
  const { stdout } = await runWeir(['doctor', '--data', join(folder, 'doctor')]);
  expect(stdout.toString()).toMatch(/ok\s+Node/);
});

test('the exit code and the message of wrong usage reach the shell', async () => {
  const { code, stdout, stderr } = await runWeir(['frobnicate']);
  expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('frobnicate');
});
