// Makes a clone ready to run: packages, then the build. Plain JavaScript without dependencies, for any Node from 20.
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  accessSync,
  constants as access,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** The clone or the installed package; symbolic links are resolved, so a linked `weir` finds its own files. */
export const ROOT = resolve(dirname(realpathSync(fileURLToPath(import.meta.url))), '..');

const CACHE = join(ROOT, '.cache');
const LOCK = join(CACHE, 'bootstrap.lock');
const INSTALL_STAMP = join(ROOT, 'node_modules', '.weir-install');
const BUILD_STAMP = join(ROOT, 'out', '.weir-build.json');
const OLDEST_NODE_TO_RUN = 22;

/** A failure that a person can do something about: what, why, next step. */
export class BootstrapError extends Error {
  name = 'BootstrapError';

  /** @param {string} what @param {string} why @param {string} next */
  constructor(what, why, next) {
    super(`${what}\n  Why:  ${why}\n  Next: ${next}`);
  }
}

/** Steps and failures go to standard error; standard output belongs to the command. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** @returns {string} path of the pinned Node's executable, whether or not it is there */
function pinnedNodePath() {
  const folder = join(ROOT, 'node_modules', 'node', 'bin');
  return join(folder, process.platform === 'win32' ? 'node.exe' : 'node');
}

/**
 * The Node that runs Weir: the pinned one, or this one where packages were installed without it and it is new enough.
 * @throws BootstrapError when there is neither
 */
export function nodeToRun() {
  const pinned = pinnedNodePath();
  if (existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE_TO_RUN) return process.execPath;
  throw new BootstrapError(
    'Weir cannot run on this Node.',
    `it is version ${process.versions.node} and the pinned one is missing at ${pinned}`,
    `install Node ${OLDEST_NODE_TO_RUN} or newer, or run "npm rebuild node" in ${ROOT}`,
  );
}

/**
 * Installs packages and builds, each only when something changed. In an installed package there is nothing to do.
 * @param {{ build: boolean }} wanted
 */
export async function bootstrap(wanted) {
  if (!isClone()) return;
  if (!needsInstall() && !(wanted.build && needsBuild())) return;
  if (!isWritable()) {
    // Somebody else's read-only copy: run what is there rather than nothing.
    if (existsSync(join(ROOT, 'out', 'main', 'cli.js')) && existsSync(join(ROOT, 'node_modules'))) return;
    throw new BootstrapError(
      'Weir is not set up yet and cannot do it here.',
      `${ROOT} is not writable for you`,
      `make it writable, or clone Weir to a folder of yours and run "npm start" there`,
    );
  }
  const release = await takeLock();
  try {
    // Somebody else may have done the work while this process waited.
    if (needsInstall()) await install();
    if (wanted.build && needsBuild()) await build();
  } finally {
    release();
  }
}

function isClone() {
  return existsSync(join(ROOT, 'package-lock.json')) && existsSync(join(ROOT, 'electron.vite.config.ts'));
}

function isWritable() {
  try {
    accessSync(ROOT, access.W_OK);
    mkdirSync(CACHE, { recursive: true });
    accessSync(CACHE, access.W_OK);
    return true;
  } catch {
    return false;
  }
}

// --- one at a time ---------------------------------------------------------------------------------------------------

/** Waits for its turn. @returns {Promise<() => void>} gives the turn back */
async function takeLock() {
  const own = `${process.pid} ${randomUUID()}`;
  let told = false;
  for (;;) {
    try {
      writeFileSync(LOCK, own, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (error.code !== 'EEXIST') throw explained(error, 'Weir could not prepare itself.');
      if (isStale()) {
        rmSync(LOCK, { force: true });
      } else {
        if (!told) say('Another Weir is preparing this folder; waiting for it …');
        told = true;
        await pause(200);
      }
      continue;
    }
    // Two that cleared the same stale lock may both have come this far; the later one has overwritten the earlier.
    await pause(50);
    if (readText(LOCK) === own) return holdUntilExit(own);
  }
}

/** Gives the lock back however this process ends, as far as a process can. */
function holdUntilExit(own) {
  const release = () => {
    if (readText(LOCK) === own) rmSync(LOCK, { force: true });
  };
  const leave = (signal) => process.exit(128 + constants.signals[signal]);
  const signals = process.platform === 'win32' ? ['SIGINT'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  process.once('exit', release);
  for (const signal of signals) process.on(signal, leave);
  return () => {
    process.off('exit', release);
    for (const signal of signals) process.off(signal, leave);
    release();
  };
}

function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/** A lock whose owner is gone. One without a number is being written just now, or was left behind a while ago. */
function isStale() {
  try {
    const owner = Number.parseInt(readFileSync(LOCK, 'utf8'), 10);
    if (!Number.isInteger(owner) || owner <= 0) return Date.now() - statSync(LOCK).mtimeMs > 5_000;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

// --- packages --------------------------------------------------------------------------------------------------------

function lockFileHash() {
  return hash(readFileSync(join(ROOT, 'package-lock.json')));
}

function needsInstall() {
  if (!existsSync(join(ROOT, 'node_modules', '.package-lock.json'))) return true;
  const wanted = lockFileHash();
  if (readText(INSTALL_STAMP) === wanted) return false;
  if (!isInstalledAsLocked()) return true;
  tryWrite(INSTALL_STAMP, wanted); // somebody ran `npm ci` or `npm install` by hand
  return false;
}

/** Compares what npm says it installed with what the lock file asks for. */
function isInstalledAsLocked() {
  try {
    const locked = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
    const installed = JSON.parse(readFileSync(join(ROOT, 'node_modules', '.package-lock.json'), 'utf8')).packages;
    return Object.entries(locked).every(([path, entry]) => {
      if (path === '') return true;
      const there = installed[path];
      return there === undefined ? entry.optional === true || entry.peer === true : there.version === entry.version;
    });
  } catch {
    return false;
  }
}

async function install() {
  const npm = findNpm();
  const total = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages).length - 1;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  await step(
    `Installing packages (once; up to ${total})`,
    npm.command,
    [...npm.args, ...args],
    { shell: npm.shell },
    () => `${installedCount()} there`,
    explainInstall,
  );
  if (!existsSync(pinnedNodePath())) {
    // npm may have been told to run no scripts; this one fetches the runtime that Weir is pinned to.
    await step(
      'Fetching the pinned Node',
      npm.command,
      [...npm.args, 'rebuild', 'node', '--ignore-scripts=false'],
      { shell: npm.shell },
      () => '',
      explainInstall,
    );
  }
  tryWrite(INSTALL_STAMP, lockFileHash());
}

/** npm that started this process, npm beside this Node, or npm on the PATH. */
function findNpm() {
  const here = dirname(realpathSync(process.execPath));
  const candidates = [
    process.env.npm_execpath,
    join(here, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(here, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  const script = candidates.find((path) => path?.endsWith('npm-cli.js') && existsSync(path));
  if (script !== undefined) return { command: process.execPath, args: [script], shell: false };
  return { command: 'npm', args: [], shell: process.platform === 'win32' };
}

function installedCount() {
  try {
    return readdirSync(join(ROOT, 'node_modules')).reduce(
      (sum, name) =>
        sum +
        (name.startsWith('@') ? readdirSync(join(ROOT, 'node_modules', name)).length : Number(!name.startsWith('.'))),
      0,
    );
  } catch {
    return 0;
  }
}

function explainInstall(output, code) {
  if (code === 'ENOENT') {
    return ['npm was not found', 'install Node with npm from https://nodejs.org, then run the same command again'];
  }
  if (/ENOSPC|no space left/i.test(output)) {
    return ['the disk is full', 'free about 1.5 GB, then run the same command again'];
  }
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|network/i.test(output)) {
    return [
      'the package registry could not be reached',
      'check the network (behind a proxy: "npm config set proxy URL"), then run the same command again',
    ];
  }
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return ['npm may not write here', `make ${ROOT} and npm's cache writable for you, then run the same command again`];
  }
  return [lastLines(output), `see ${join(CACHE, 'bootstrap.log')}`];
}

// --- build -----------------------------------------------------------------------------------------------------------

/** What the build is made of. */
const SOURCES = ['app', 'proxy-engine', 'resources', 'electron.vite.config.ts', 'package.json', 'package-lock.json'];

function needsBuild() {
  const stamp = readJson(BUILD_STAMP);
  if (stamp === null || !existsSync(join(ROOT, 'out', 'main', 'cli.js'))) return true;
  const files = sourceFiles();
  const outside = fingerprint(files);
  if (stamp.outside === outside) return false;
  if (stamp.content !== contentHash(files)) return true;
  tryWrite(BUILD_STAMP, JSON.stringify({ ...stamp, outside })); // touched, not changed
  return false;
}

async function build() {
  const files = sourceFiles();
  const stamp = { outside: fingerprint(files), content: contentHash(files) };
  // Built aside and then put in place whole: a build that fails or is interrupted leaves the one before as it was.
  const aside = join(CACHE, 'build');
  const before = join(CACHE, 'build-before');
  rmSync(aside, { recursive: true, force: true });
  await step(
    'Building',
    nodeToRun(),
    [join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'build', '--logLevel', 'warn'],
    { env: { WEIR_BUILD_FOLDER: aside } },
    () => '',
    (output) =>
      /ENOSPC/.test(output)
        ? ['the disk is full', 'free some space, then run the same command again']
        : [lastLines(output), `mend what it names; the whole output is in ${join(CACHE, 'bootstrap.log')}`],
  );
  tryWrite(join(aside, '.weir-build.json'), JSON.stringify(stamp));
  rmSync(before, { recursive: true, force: true });
  if (existsSync(join(ROOT, 'out'))) renameSync(join(ROOT, 'out'), before);
  renameSync(aside, join(ROOT, 'out'));
  rmSync(before, { recursive: true, force: true });
}

/** Paths of every source file, sorted. Tests are no part of the build. */
function sourceFiles() {
  const found = [];
  const visit = (path) => {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined) return;
    if (!info.isDirectory()) {
      if (!path.endsWith('.test.ts')) found.push({ path, size: info.size, changed: info.mtimeMs });
      return;
    }
    for (const name of readdirSync(path).sort()) visit(join(path, name));
  };
  for (const source of SOURCES) visit(join(ROOT, source));
  return found;
}

/** Sizes and times: cheap, and enough to know that nothing was touched. */
function fingerprint(files) {
  return hash(files.map((file) => `${relative(ROOT, file.path)} ${file.size} ${file.changed}`).join('\n'));
}

function contentHash(files) {
  return hash(files.map((file) => `${relative(ROOT, file.path)} ${hash(readFileSync(file.path))}`).join('\n'));
}

// --- steps -----------------------------------------------------------------------------------------------------------

/**
 * Runs one command with its name and progress on standard error, its output in .cache/bootstrap.log.
 * @throws BootstrapError when it fails
 */
async function step(name, command, args, { env, ...options }, progress, explain) {
  const began = Date.now();
  const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
  const live = process.stderr.isTTY === true;
  const show = () => {
    const detail = progress();
    process.stderr.write(`\r\x1b[K${name} … ${seconds()}${detail === '' ? '' : `, ${detail}`}`);
  };
  if (!live) say(`${name} …`);
  const timer = live ? setInterval(show, 500) : undefined;
  let output = '';
  const code = await new Promise((done) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '1', NO_COLOR: '1', FORCE_COLOR: '0', ...env },
      ...options,
    });
    const stop = () => child.kill();
    process.once('exit', stop);
    const take = (bytes) => {
      output = `${output}${bytes}`.slice(-1_000_000);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', (error) => done(error.code ?? error.message));
    child.once('close', (exit, signal) => {
      process.off('exit', stop);
      done(exit ?? signal);
    });
  });
  clearInterval(timer);
  if (live) process.stderr.write('\r\x1b[K');
  tryWrite(join(CACHE, 'bootstrap.log'), output);
  if (code !== 0) {
    const [why, next] = explain(output, code);
    throw new BootstrapError(`${name} failed after ${seconds()}.`, why, next);
  }
  say(`${name}: done in ${seconds()}`);
}

function lastLines(output) {
  const lines = stripVTControlCharacters(output).trim().split('\n').slice(-15);
  return lines.length === 1 && lines[0] === '' ? 'it gave no reason' : lines.join('\n        ');
}

function explained(error, what) {
  if (error.code === 'ENOSPC') return new BootstrapError(what, 'the disk is full', 'free some space and try again');
  if (error.code === 'EACCES' || error.code === 'EROFS') {
    return new BootstrapError(what, `${error.path ?? ROOT} is not writable for you`, 'make it writable and try again');
  }
  return error;
}

function hash(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Stamps and logs are conveniences: without them the next start only works a little more. */
function tryWrite(path, text) {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch {
    // Read-only or full: nothing depends on it.
  }
}
