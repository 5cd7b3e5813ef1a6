import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createBackend } from '../../app/backend/create-backend.ts';
import { prepareDataFolder } from '../../app/backend/data-folder.ts';
import { claimDataFolder, isOwnership } from '../../app/backend/ownership.ts';

// A program: `node inspector-program.ts DATA PAGES` runs a backend on a data folder and serves built pages from another.
// It prints its proxy port, and an address that lets one page in for each line that it reads; it ends with its input.
const [data, pages] = process.argv.slice(2);
if (data === undefined || pages === undefined) throw new Error('Say which folders hold the data and the pages.');
const folder = prepareDataFolder(data);
const ownership = await claimDataFolder(folder);
if (!isOwnership(ownership)) throw new Error('Another process owns the data folder.');
const backend = await createBackend({
  folder,
  ownership,
  listeners: [{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }],
  control: { host: '127.0.0.1', port: 0, pages },
  otherPorts: { listeners: false, control: false },
  workers: 1,
  capture: true,
  insecure: false,
  // One in PEM that a test's origins are certified by.
  originCertificateAuthorities: [process.env['WEIR_TEST_ORIGIN_CA'] ?? []].flat(),
  ownCertificate: null,
  settings: {},
  keyLogFile: null,
  capabilities: { windowChrome: 'none', openBrowser: true, saveFile: false },
  // Benchmarks in tests are invented: quick, and the same every time.
  benchProgram: fileURLToPath(new URL('fake-bench-program.ts', import.meta.url)),
  report: (message) => process.stderr.write(`${message}\n`),
});
process.stdout.write(`${String(backend.listeners[0]?.port)}\n`);
for await (const _line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${backend.control.createPageUrl()}\n`);
}
await backend.stop(0);
