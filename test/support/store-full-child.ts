import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStoreKit } from './store-kit.ts';

/*
 * Fills a small disk with captured traffic, frees space, and prints what the store said and kept as one line of JSON.
 * Usage: node store-full-child.ts FOLDER-ON-A-DISK-OF-8-MIB
 */

const place = process.argv[2] ?? '';
const filler = join(place, 'filler');
writeFileSync(filler, Buffer.alloc(4_000_000));
const kit = openStoreKit(join(place, 'store'));

let recorded = 0;
while (kit.troubles.length === 0 && recorded < 2_000) {
  kit.record({ path: `/${String(recorded)}`, responseBody: Buffer.alloc(9_000, `${String(recorded)} `) });
  recorded += 1;
  kit.commit();
}
for (let more = 0; more < 20; more += 1) {
  kit.record({ path: `/${String(recorded)}`, responseBody: Buffer.alloc(9_000, `${String(recorded)} `) });
  recorded += 1;
}
const heldCommit = kit.commit();
rmSync(filler);
const deadline = Date.now() + 20_000;
while (kit.troubles.at(-1) !== null && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
const { count } = await kit.reader().count({ session: kit.opened.session.id, filter: '' });
process.stdout.write(`${JSON.stringify({ recorded, heldCommit, count, troubles: kit.troubles })}\n`);
kit[Symbol.dispose]();
