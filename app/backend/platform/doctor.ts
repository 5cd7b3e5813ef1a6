import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { authorityFacts, authorityFiles, loadCertificateAuthority } from '#engine';
import type { BrowserSurroundings } from './browser.ts';
import { findBrowsers } from './find-browsers.ts';
import { systemRoots } from './system-roots.ts';
import { trustAuthority } from './trust/trust-authority.ts';
import { reportOnStore } from './trust/trust-report.ts';
import type { TrustAuthority, TrustStore } from './trust/trust-store.ts';

/** One line of `weir doctor`. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly subject: string;
  /** `warn`: Weir works, with less; `fail`: something that a user asks for will not work. */
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found. */
  readonly text: string;
  /** What to do; null when nothing is. */
  readonly fix: string | null;
}

export interface DoctorRequest {
  readonly surroundings: BrowserSurroundings;
  /** As `process.versions.node`. */
  readonly nodeVersion: string;
  readonly dataFolder: string;
  /** The authority's folder inside it. */
  readonly authorityFolder: string;
  /** Addresses that a start would listen on. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  /** A Weir runs on this data folder now and holds those addresses itself. */
  readonly running: boolean;
  /** Path of Electron's program when it is installed, else null. */
  readonly electron: string | null;
  /** Stores of trust of this user and this machine, for the authority of this data folder. */
  readonly findStores: (authority: TrustAuthority) => Promise<readonly TrustStore[]>;
  /** File that is there while the system proxy is on. */
  readonly systemProxyFile: string;
  /** ms since 1970. */
  readonly now: number;
}

const NEEDED_NODE = 24;
const DAYS_WARNED = 30;
const MEBIBYTE = 1_048_576;
const FREE_WARNED = 1_024 * MEBIBYTE;

/** Looks at everything that Weir needs on this machine and changes nothing. Never throws. */
export async function examine(request: DoctorRequest): Promise<Finding[]> {
  const findings = await Promise.all([
    examineDataFolder(request),
    examineSpace(request),
    ...request.addresses.map((address) => examineAddress(address, request.running)),
    examineAuthority(request),
    examineAuthorityModes(request),
    examineRoots(request),
    examineBrowser(request),
    examineElectron(request),
    examineSystemProxy(request),
  ]);
  const others = findings.filter((finding) => finding !== null);
  return [examineNode(request), ...others, ...(await examineTrust(request))];
}

function ok(subject: string, text: string): Finding {
  return { subject, state: 'ok', text, fix: null };
}

function warn(subject: string, text: string, fix: string): Finding {
  return { subject, state: 'warn', text, fix };
}

function fail(subject: string, text: string, fix: string): Finding {
  return { subject, state: 'fail', text, fix };
}

function examineNode({ nodeVersion }: DoctorRequest): Finding {
  const major = Number.parseInt(nodeVersion, 10);
  if (major >= NEEDED_NODE) return ok('Node', `Node ${nodeVersion}`);
  return fail(
    'Node',
    `Node ${nodeVersion} is too old to run Weir.`,
    'Start Weir by its `weir` command, which brings its own Node.',
  );
}

async function examineDataFolder({ dataFolder }: DoctorRequest): Promise<Finding> {
  const subject = 'data folder';
  if (!(await isThere(dataFolder)))
    return ok(subject, `${dataFolder} does not exist yet and is made at the first start.`);
  try {
    const probe = await mkdtemp(join(dataFolder, '.doctor-'));
    await writeFile(join(probe, 'probe'), 'probe');
    await rm(probe, { recursive: true });
    return ok(subject, `${dataFolder} can be written`);
  } catch (error: unknown) {
    return fail(
      subject,
      `${dataFolder} cannot be written: ${reason(error)}`,
      'Change its owner or mode, or name another folder with --data.',
    );
  }
}

async function examineSpace({ dataFolder }: DoctorRequest): Promise<Finding | null> {
  try {
    const { bavail, bsize } = await statfs(dataFolder);
    const free = bavail * bsize;
    const text = `${Math.floor(free / MEBIBYTE).toLocaleString('en')} MiB free for captured traffic`;
    if (free >= FREE_WARNED) return ok('disk', text);
    return warn(
      'disk',
      text,
      'Free some space, or clear old sessions; traffic passes also when nothing can be recorded.',
    );
  } catch {
    // The folder does not exist yet; the line about it says so.
    return null;
  }
}

async function examineAddress(address: { host: string; port: number }, running: boolean): Promise<Finding> {
  const name = `${address.host}:${address.port}`;
  const subject = `port ${address.port}`;
  if (running) return ok(subject, `${name} (a Weir runs on this data folder)`);
  try {
    await listenOnce(address);
    return ok(subject, `${name} is free`);
  } catch (error: unknown) {
    return fail(
      subject,
      `${name} cannot be listened on: ${reason(error)}`,
      'Stop the program that holds it, or name another address with --listen or --ui.',
    );
  }
}

function listenOnce({ host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve();
      });
    });
  });
}

async function examineAuthority({ authorityFolder, now }: DoctorRequest): Promise<Finding> {
  const subject = 'authority';
  const { certificateFile, keyFile } = authorityFiles(authorityFolder);
  if (!(await isThere(authorityFolder)))
    return ok(subject, 'There is no certificate authority yet; it is made at the first start.');
  try {
    const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
    loadCertificateAuthority({ certificate, key });
    const { subject: name, daysLeft, notAfter } = authorityFacts(certificate, now);
    const fix = 'Make a new one with `weir ca rotate` and trust it.';
    if (daysLeft < 0) return fail(subject, `${name} ended on ${notAfter.slice(0, 10)}.`, fix);
    if (daysLeft < DAYS_WARNED) return warn(subject, `${name} ends in ${daysLeft} days.`, fix);
    return ok(subject, `${name}, valid until ${notAfter.slice(0, 10)}`);
  } catch (error: unknown) {
    return fail(
      subject,
      `The certificate authority cannot be used: ${reason(error)}`,
      `Put its files back, or move ${authorityFolder} away to get a new one.`,
    );
  }
}

async function examineAuthorityModes({ authorityFolder, surroundings }: DoctorRequest): Promise<Finding | null> {
  if (surroundings.platform === 'win32') return null;
  const { keyFile } = authorityFiles(authorityFolder);
  try {
    const modes = await Promise.all([authorityFolder, keyFile].map(async (path) => (await stat(path)).mode & 0o077));
    if (modes.every((mode) => mode === 0)) return ok('authority key', `${keyFile} is readable by you alone`);
    return warn(
      'authority key',
      `Others can read ${keyFile}.`,
      'The next start closes it. If others use this machine, make a new authority with `weir ca rotate`.',
    );
  } catch {
    // No authority yet; the line about it says so.
    return null;
  }
}

async function examineRoots({ surroundings }: DoctorRequest): Promise<Finding> {
  const roots = await systemRoots(surroundings.platform);
  if (roots.length > 0) return ok('trusted roots', `${roots.length} root certificates of this machine`);
  return warn(
    'trusted roots',
    'This machine has no root certificates.',
    'Install ca-certificates; until then no origin can be verified.',
  );
}

async function examineBrowser({ surroundings }: DoctorRequest): Promise<Finding> {
  const { found, searched } = await findBrowsers(surroundings);
  if (found.length > 0) return ok('browser', found.map(({ name, path }) => `${name} (${path})`).join(', '));
  return warn(
    'browser',
    `No browser was found; ${searched.length} paths were searched.`,
    'Install Chromium, Chrome, Edge, Brave or Firefox, or set WEIR_BROWSER to the path of one.',
  );
}

async function examineElectron({ electron }: DoctorRequest): Promise<Finding> {
  const usable = electron !== null && (await isExecutable(electron));
  if (usable) return ok('desktop window', electron);
  return warn(
    'desktop window',
    'Electron’s program is not installed.',
    '`weir open` fetches it once, or opens the inspector in the browser.',
  );
}

async function examineSystemProxy({ systemProxyFile, running }: DoctorRequest): Promise<Finding | null> {
  const subject = 'system proxy';
  if (!(await isThere(systemProxyFile))) return null;
  if (running) return ok(subject, 'The system sends programs to the Weir that runs.');
  return warn(
    subject,
    'An earlier Weir ended without putting the system’s proxy settings back.',
    'Run `weir system-proxy restore`.',
  );
}

/** One line for each store. That one does not trust us is nobody's fault. */
async function examineTrust({ authorityFolder, findStores }: DoctorRequest): Promise<Finding[]> {
  const { certificateFile } = authorityFiles(authorityFolder);
  try {
    const authority = trustAuthority(await readFile(certificateFile, 'utf8'), certificateFile);
    const reports = await Promise.all((await findStores(authority)).map((store) => reportOnStore(store, authority)));
    return reports.map((report) => {
      const subject = 'trust';
      const { id, name, state, changeable } = report;
      const all = `weir ca untrust ${id} --all`;
      switch (state) {
        case 'trusted':
          return ok(subject, `${name} trusts this authority; \`weir ca untrust ${id}\` undoes it`);
        case 'absent':
          return ok(subject, `${name} does not know it; ${changeable ? `\`weir ca trust ${id}\`` : report.trustLine}`);
        case 'untrusted':
          return warn(subject, `${name} holds it without trusting it.`, report.trustLine);
        case 'other':
          return warn(subject, `${name} trusts the authority of another Weir, not this one.`, `Run \`${all}\`.`);
        case 'unreadable':
          return warn(subject, `${name} cannot be read.`, report.problem);
      }
    });
  } catch {
    // There is no authority, or none that can be used; the line about it says so.
    return [];
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
