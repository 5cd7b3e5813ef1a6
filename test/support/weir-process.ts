import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const COMMAND = fileURLToPath(new URL('../../app/cli/index.ts', import.meta.url));
const run = promisify(execFile);

/** The line that `serve --json` prints when every listener accepts. */
export interface ReadyLine {
  readonly ready: true;
  readonly listeners: readonly { readonly mode: string; readonly address: string; readonly port: number }[];
  readonly ui: { readonly url: string } | null;
  readonly ca: string;
  readonly data: string;
  readonly pid: number;
}

/** One line of `list --json`, as far as tests look at it. */
export interface ListedExchange {
  readonly id: number;
  readonly kind: string;
  readonly method: string;
  readonly url: string;
  readonly host: string;
  readonly status: number | null;
  readonly client: { readonly address: string; readonly protocol: string };
  readonly origin: { readonly address: string | null; readonly protocol: string | null };
  readonly requestBodyBytes: number;
  readonly responseBodyBytes: number;
  readonly error: {
    readonly code: string;
    readonly side: string;
    readonly phase: string;
    readonly message: string;
  } | null;
  readonly anomalies: readonly string[];
  readonly complete: boolean;
}

/** A whole Weir as a person runs it: `weir serve` in a process of its own, on a fresh data folder. */
export class WeirProcess {
  readonly ready: ReadyLine;
  readonly dataFolder: string;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  #errors = '';

  private constructor(
    child: ChildProcessByStdio<null, Readable, Readable>,
    ready: ReadyLine,
    dataFolder: string,
    errors: string,
  ) {
    this.#child = child;
    this.#errors = errors;
    this.ready = ready;
    this.dataFolder = dataFolder;
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
  }

  /** Starts `serve --json` with ports given by the system; `args` come after those. @throws when it ends before it is ready */
  static async start(
    args: readonly string[] = [],
    dataFolder?: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<WeirProcess> {
    const folder = dataFolder ?? (await mkdtemp(join(tmpdir(), 'weir-test-')));
    const fixed = ['serve', '--json', '--data', folder, '--ui', '127.0.0.1:0'];
    const listen = args.some((arg) => arg === '--mode' || arg === '--listen') ? [] : ['--listen', '127.0.0.1:0'];
    const child = spawn(process.execPath, [COMMAND, ...fixed, ...listen, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    let errors = '';
    const collect = (text: Buffer): void => {
      errors += text.toString();
    };
    child.stderr.on('data', collect);
    for await (const line of createInterface({ input: child.stdout })) {
      child.stderr.off('data', collect);
      return new WeirProcess(child, JSON.parse(line) as ReadyLine, folder, errors);
    }
    throw new Error(`weir serve ended before it was ready: ${errors}`);
  }

  /** Port of the first listener. */
  get port(): number {
    const [listener] = this.ready.listeners;
    if (listener === undefined) throw new Error('weir serve has no listener.');
    return listener.port;
  }

  get pid(): number {
    return this.ready.pid;
  }

  /** What it wrote to standard error. */
  get errors(): string {
    return this.#errors;
  }

  /** `http://127.0.0.1:PORT` of the first listener. */
  get proxyUrl(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  /** PEM of its certificate authority. */
  caCertificate(): Promise<string> {
    return readFile(this.ready.ca, 'utf8');
  }

  /** The Chromium argument that accepts certificates of this authority, and of no other unknown one. */
  async chromiumTrustArgument(): Promise<string> {
    const spki = new X509Certificate(await this.caCertificate()).publicKey.export({ type: 'spki', format: 'der' });
    return `--ignore-certificate-errors-spki-list=${createHash('sha256').update(spki).digest('base64')}`;
  }

  /** Runs another `weir` command on the same data folder and returns its standard output, byte for byte. */
  async command(...args: readonly string[]): Promise<Buffer> {
    const [name = 'list', ...rest] = args;
    const { stdout } = await run(process.execPath, [COMMAND, name, '--data', this.dataFolder, ...rest], {
      encoding: 'buffer',
      maxBuffer: 2 ** 30,
    });
    return stdout;
  }

  /** Everything that `weir list --json` lists, oldest first. */
  async list(...args: readonly string[]): Promise<ListedExchange[]> {
    const text = (await this.command('list', '--json', '--limit', '100000', ...args)).toString();
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ListedExchange);
  }

  /** Lists again until `enough` says so, since rows become visible within a second. @throws after ten seconds */
  async listUntil(enough: (rows: readonly ListedExchange[]) => boolean): Promise<ListedExchange[]> {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const rows = await this.list();
      if (enough(rows)) return rows;
      if (Date.now() > deadline) throw new Error(`Not listed in time: ${JSON.stringify(rows.slice(-5))}`);
    }
  }

  /** Ends the process at once, as a crash or the system would. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Ends it with SIGTERM, waits, removes the data folder, and returns the exit code. */
  async stop(options: { readonly keepData?: boolean } = {}): Promise<number | null> {
    let code = this.#child.exitCode;
    if (code === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      [code] = (await ended) as [number | null];
    }
    if (options.keepData !== true) await rm(this.dataFolder, { recursive: true, force: true });
    return code;
  }
}
