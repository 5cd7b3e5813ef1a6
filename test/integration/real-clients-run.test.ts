import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { which } from '../../bench/products/which.ts';
import { JAVA_GET } from '../support/java-get.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { runWeir } from '../support/run-weir.ts';
import { WeirProcess, type ListedExchange } from '../support/weir-process.ts';

/*
 * `weir run -- PROGRAM`: the program knows nothing of Weir but its environment, and its HTTPS is decrypted. The origin is
 * certified by an authority that only Weir knows, so a program that went past the proxy would fail.
 */

const BODY = 'seen by Weir';
let folder: string;
let origin: Server;
let weir: WeirProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-run-'));
  const originCa = join(folder, 'origin-ca.pem');
  await writeFile(originCa, ORIGIN_CA);
  origin = createServer(originCertificate('app.localhost'), (request, response) => {
    response.setHeader('Connection', 'close');
    const isGit = request.url === '/repository/info/refs?service=git-upload-pack';
    response.setHeader('Content-Type', isGit ? 'application/x-git-upload-pack-advertisement' : 'text/plain');
    response.end(isGit ? REFERENCES : BODY);
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  weir = await WeirProcess.start(['--origin-ca', originCa]);
});

afterAll(async () => {
  await weir.stop();
  origin.closeAllConnections();
  origin.close();
  await rm(folder, { recursive: true, force: true });
});

/** Git's smart protocol with one branch (gitprotocol-pack). */
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
const REFERENCES = `${line('# service=git-upload-pack\n')}0000${line(`${COMMIT} refs/heads/main\0\n`)}0000`;

interface Program {
  readonly name: string;
  /** Must be on PATH; else it is named as not tested. */
  readonly needs: string;
  readonly command: (url: string) => readonly string[];
  /** What it prints; the body unless said otherwise. */
  readonly prints?: string;
  readonly path?: string;
}

const FETCH = (url: string): string =>
  `fetch(${JSON.stringify(url)}).then(async (r) => process.stdout.write(await r.text()))`;
const HTTPS_GET = (url: string): string =>
  `require('node:https').get(${JSON.stringify(url)}, (response) => response.pipe(process.stdout))`;
const URLLIB = (url: string): string =>
  `import urllib.request as r; print(r.urlopen(${JSON.stringify(url)}).read().decode(), end="")`;
const REQUESTS = (url: string): string => `import requests; print(requests.get(${JSON.stringify(url)}).text, end="")`;
const LWP = (url: string): string =>
  `my $a = LWP::UserAgent->new(env_proxy => 1)->get("${url}"); die $a->status_line unless $a->is_success; print $a->content`;
const RUBY = (url: string): string => `print Net::HTTP.get(URI('${url}'))`;
const PHP_CURL = (url: string): string =>
  `$c = curl_init('${url}'); curl_setopt($c, CURLOPT_RETURNTRANSFER, true); $r = curl_exec($c); echo $r === false ? curl_error($c) : $r;`;
/** PHP's streams read no variable: the program says where the proxy is, and the trust is ours. */
const PHP_STREAM = (url: string): string =>
  `$p = parse_url(getenv('HTTPS_PROXY')); $c = stream_context_create(['http' => ['proxy' => "tcp://{$p['host']}:{$p['port']}", 'request_fulluri' => true]]); echo file_get_contents('${url}', false, $c);`;
const GO = `package main
import ("io"; "net/http"; "os")
func main() { r, e := http.Get(os.Args[1]); if e != nil { panic(e) }; io.Copy(os.Stdout, r.Body) }`;

const PROGRAMS: readonly Program[] = [
  { name: 'curl', needs: 'curl', command: (url) => ['curl', '-sS', url] },
  { name: 'wget', needs: 'wget', command: (url) => ['wget', '-q', '-O', '-', url] },
  { name: "Node's fetch", needs: 'node', command: (url) => [process.execPath, '-e', FETCH(url)] },
  { name: "Node's https", needs: 'node', command: (url) => [process.execPath, '-e', HTTPS_GET(url)] },
  { name: "Python's urllib", needs: 'python3', command: (url) => ['python3', '-c', URLLIB(url)] },
  {
    name: 'git',
    needs: 'git',
    path: '/repository',
    command: (url) => ['git', '-c', 'protocol.version=0', 'ls-remote', url],
    prints: `${COMMIT}\trefs/heads/main\n`,
  },
];

/** Ruby asks past every proxy for names that the system resolves to loopback, as some do for all below `localhost`. */
const RUBY_ASKS_DIRECTLY = await lookup('app.localhost').then(
  () => true,
  () => false,
);

/** A program that a language or a module of it makes. */
interface Library extends Omit<Program, 'needs' | 'prints'> {
  /** Succeeds where it is. */
  readonly probe: readonly string[];
  /** Its source: name and text. */
  readonly file?: readonly [name: string, text: string];
}

const LIBRARIES: readonly Library[] = [
  {
    name: "Python's requests",
    probe: ['python3', '-c', 'import requests'],
    command: (url) => ['python3', '-c', REQUESTS(url)],
  },
  {
    name: "Perl's LWP",
    probe: ['perl', '-MLWP::Protocol::https', '-e', '1'],
    command: (url) => ['perl', '-MLWP', '-e', LWP(url)],
  },
  {
    name: "PHP's curl",
    probe: ['php', '-r', 'exit(function_exists("curl_init") ? 0 : 1);'],
    command: (url) => ['php', '-r', PHP_CURL(url)],
  },
  {
    name: "PHP's streams, told of the proxy by the program",
    probe: ['php', '-r', 'exit(extension_loaded("openssl") ? 0 : 1);'],
    command: (url) => ['php', '-r', PHP_STREAM(url)],
  },
  {
    name: "Ruby's net/http",
    probe: RUBY_ASKS_DIRECTLY ? ['false'] : ['ruby', '-e', '1'],
    command: (url) => ['ruby', '-rnet/http', '-e', RUBY(url)],
  },
  {
    name: 'Java',
    probe: ['sh', '-c', 'command -v java'],
    file: ['Get.java', JAVA_GET],
    command: (url) => ['java', 'Get.java', url],
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    file: ['get.go', GO],
    command: (url) => ['go', 'run', 'get.go', url],
  },
];

function isThere([program = '', ...args]: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const programs = PROGRAMS.filter(({ needs }) => which(needs) !== null);
const libraries = LIBRARIES.filter(({ probe }) => isThere(probe));
const absent = [...PROGRAMS, ...LIBRARIES].filter((one) => ![...programs, ...libraries].includes(one));
if (absent.length > 0)
  process.stderr.write(`\nNOT TESTED: \`weir run\` with ${absent.map(({ name }) => name).join(', ')}.\n\n`);

const urlOf = (path: string): string =>
  `https://app.localhost:${String((origin.address() as AddressInfo).port)}${path}`;

/** What was run, to be looked for among the rows at the end. */
const ran: string[] = [];

/** Runs a program and answers what it printed. */
async function printedBy(command: readonly string[], path: string): Promise<string> {
  const environment = { GIT_TERMINAL_PROMPT: '0', GO111MODULE: 'off' };
  const ended = await runWeir(['run', '--data', weir.dataFolder, '--', ...command], { env: environment, cwd: folder });
  if (ended.code !== 0) throw new Error(`${command.join(' ')} ended with ${String(ended.code)}: ${ended.stderr}`);
  ran.push(path);
  return ended.stdout.toString();
}

describe('through `weir run` a program’s HTTPS is decrypted and it trusts what it gets', () => {
  for (const { name, command, prints = BODY, path = `/${name.replace(/\W/g, '-')}` } of programs) {
    test(name, async () => {
      expect(await printedBy(command(urlOf(path)), path)).toBe(prints);
    });
  }

  for (const { name, file, command, path = `/${name.replace(/\W/g, '-')}` } of libraries) {
    test(name, async () => {
      if (file !== undefined) await writeFile(join(folder, file[0]), file[1]);
      expect(await printedBy(command(urlOf(path)), path)).toBe(BODY);
    });
  }

  test('and each of them is a row', async () => {
    const rowOf = (rows: readonly ListedExchange[], path: string): ListedExchange | undefined =>
      rows.find(({ url, complete }) => complete && url.startsWith(urlOf(path)));
    const rows = await weir.listUntil((all) => ran.every((path) => rowOf(all, path) !== undefined));
    expect(ran.length).toBeGreaterThan(0);
    for (const path of ran)
      expect(rowOf(rows, path)).toMatchObject({ kind: 'http', method: 'GET', status: 200, error: null });
  });
});
