import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const BIN = resolve(import.meta.dirname, '../../bin');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface StartOptions {
  readonly script?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A tiny clone with the real bootstrap, and stand-ins for npm and the build tool that note each call. */
export class BootstrapClone {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'weir-clone-')));

  constructor() {
    cpSync(BIN, join(this.folder, 'bin'), { recursive: true });
    this.write('package.json', '{ "type": "module" }');
    this.write('electron.vite.config.ts', '');
    this.write('app/source.ts', 'one');
    this.lock('1.0.0');
    this.npm(this.installing());
  }

  /** What the lock file asks for. */
  lock(version: string): void {
    this.write('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/thing': { version } } }));
  }

  /** Replaces npm by a program; its calls are noted whatever it does. */
  npm(program: string): void {
    this.write('tools/npm-cli.js', `import { appendFileSync } from 'node:fs';\n${this.#noting('npm')}\n${program}`);
  }

  /** An npm that installs the pinned Node, the build tool and the one package. */
  installing(): string {
    const tool = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
      ${this.#noting('build')}
      const folder = process.env.WEIR_BUILD_FOLDER + '/main';
      mkdirSync(folder, { recursive: true });
      writeFileSync(folder + '/cli.js', ${JSON.stringify(COMMAND)});`;
    return `
      import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
      import { dirname } from 'node:path';
      const put = (path, text) => { mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, text); };
      mkdirSync('node_modules/node/bin', { recursive: true });
      try { symlinkSync(${JSON.stringify(process.execPath)}, 'node_modules/node/bin/node'); } catch {}
      put('node_modules/electron-vite/bin/electron-vite.js', ${JSON.stringify(tool)});
      put('node_modules/.package-lock.json', readFileSync('package-lock.json', 'utf8'));`;
  }

  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Calls of npm and the build tool so far, in order. */
  calls(): string[] {
    try {
      return readFileSync(join(this.folder, 'calls'), 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  }

  start(args: readonly string[], options: StartOptions = {}): ChildProcess {
    return spawn(process.execPath, [options.script ?? join(this.folder, 'bin/weir.mjs'), ...args], {
      cwd: options.cwd ?? tmpdir(),
      env: { ...process.env, npm_execpath: join(this.folder, 'tools/npm-cli.js'), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async run(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
    return endOf(this.start(args, options));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #noting(name: string): string {
    return `appendFileSync(${JSON.stringify(join(this.folder, 'calls'))}, ${JSON.stringify(`${name}\n`)});`;
  }
}

/** The command of the tiny clone: says what it was given, or waits for a signal. */
const COMMAND = `
  const [first, ...rest] = process.argv.slice(2);
  if (first === 'wait') {
    process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(7); });
    setInterval(() => {}, 1000);
    console.log('waiting');
  } else {
    console.log(JSON.stringify({ first, rest, folder: process.cwd() }));
    process.exitCode = first === 'fail' ? 3 : 0;
  }`;

/** All output of a process, and its exit code. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr?.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
