#!/usr/bin/env node
// `npm run dev`: the inspector with hot reload, the backend started again when its sources change, sample traffic shown.
import { join } from 'node:path';

import { bootstrap, BootstrapError, nodeToRun, ROOT, say } from './bootstrap.mjs';
import { runForeground } from './foreground.mjs';

// A restart strips the types of what has changed and of nothing else.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, '.cache/sources/cache');

try {
  await bootstrap({ build: false });
  process.exitCode = await runForeground(nodeToRun(), [join(ROOT, 'bin/dev/server.ts'), ...process.argv.slice(2)]);
} catch (error) {
  say(error instanceof BootstrapError ? error.message : String(error?.stack ?? error));
  process.exitCode = 1;
}
