import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const CHILD = join(import.meta.dirname, '../support/store-full-child.ts');
const MOUNT_AND_RUN = 'mount -t tmpfs -o size=8m weir-full "$1" && exec "$2" "$3" "$1"';

test('a full disk loses nothing that memory can hold, is told, and recording goes on when there is space again', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-full-'));
  try {
    // A disk of its own, in a namespace of its own that ends with the process.
    const namespace = ['--user', '--map-root-user', '--mount', 'sh', '-c', MOUNT_AND_RUN, 'sh'];
    const canMount = await run('unshare', [
      '--user',
      '--map-root-user',
      '--mount',
      'mount',
      '-t',
      'tmpfs',
      'x',
      folder,
    ]).then(
      () => true,
      () => false,
    );
    if (!canMount) {
      console.warn('NOT RUN: this machine lets nobody mount a small disk, so a full one cannot be tried.');
      context.skip();
    }
    const { stdout } = await run('unshare', [...namespace, folder, process.execPath, CHILD]);
    const result = JSON.parse(stdout) as Record<string, unknown> & { troubles: ({ message: string } | null)[] };

    expect(result).toMatchObject({ heldCommit: false });
    expect(result['count']).toBe(result['recorded']);
    expect(result.troubles.at(0)).toMatchObject({ code: 'disk-full', lostExchanges: 0 });
    expect(result.troubles.at(0)?.message).toMatch(/^The disk is full\. .* Free some space/);
    expect(result.troubles.at(-1)).toBeNull();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
