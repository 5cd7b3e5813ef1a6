import { homedir } from 'node:os';
import { join } from 'node:path';
import { defaultDataFolder, describeDataFolder } from '../../backend/data-folder.ts';
import { DEFAULT_CONTROL, DEFAULT_LISTENER } from '../../backend/default-addresses.ts';
import { findRunningBackend } from '../../backend/ownership.ts';
import { ROOT_FOLDER } from '../../backend/place.ts';
import { createCommandRunner } from '../../backend/platform/command-runner.ts';
import type { Finding } from '../../backend/platform/doctor.ts';
import { examine } from '../../backend/platform/doctor.ts';
import { findTrustStores } from '../../backend/platform/trust/find-trust-stores.ts';
import { parseArguments } from '../arguments.ts';
import { findElectron } from '../desktop/electron-binary.ts';
import { print } from '../output.ts';

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' };

/** `weir doctor`: fails when something that a user asks for will not work. */
export async function doctor(args: readonly string[]): Promise<number> {
  const { values } = parseArguments(args, { data: { type: 'string' } });
  const folder = describeDataFolder(values.data ?? defaultDataFolder());
  const run = createCommandRunner(process.env);
  const asRoot = process.getuid?.() === 0;
  const findings = await examine({
    surroundings: { platform: process.platform, environment: process.env, home: homedir() },
    nodeVersion: process.versions.node,
    dataFolder: folder.path,
    authorityFolder: folder.certificateAuthority,
    addresses: [DEFAULT_LISTENER, DEFAULT_CONTROL],
    running: findRunningBackend(folder) !== null,
    findStores: (authority) => findTrustStores({ platform: process.platform, home: homedir(), asRoot, run }, authority),
    systemProxyFile: folder.systemProxyFile,
    electron: findElectron(join(ROOT_FOLDER, 'node_modules', 'electron')),
    now: Date.now(),
  });
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  for (const { state, subject, text, fix } of findings) {
    await print(`${MARKS[state]}  ${subject.padEnd(width)}  ${text}\n`);
    if (fix !== null) await print(`${' '.repeat(width + 8)}→ ${fix}\n`);
  }
  return findings.some(({ state }) => state === 'fail') ? 1 : 0;
}
