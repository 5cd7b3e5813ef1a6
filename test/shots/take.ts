import { startVitest } from 'vitest/node';

/*
 * `npm run shots`: photographs every scene in both themes and two sizes, with its checks. Scenes are named by
 * `WEIR_SHOTS_SCENES`, the folder by `WEIR_SHOTS_FOLDER`; see shots.test.ts.
 */

const MINUTE = 60_000;
process.env['WEIR_SHOTS_SCENES'] ??= 'all';

const vitest = await startVitest('test', [], {
  config: false,
  include: ['test/shots/**/*.test.ts'],
  pool: 'forks',
  fileParallelism: false,
  env: { WEIR_ELECTRON_DOWNLOAD: 'never' },
  testTimeout: 2 * MINUTE,
  hookTimeout: 2 * MINUTE,
  watch: false,
});
await vitest.close();
