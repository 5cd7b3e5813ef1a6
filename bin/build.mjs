#!/usr/bin/env node
// `npm run build`: packages and build, whatever is out of date.
import { bootstrap, BootstrapError, say } from './bootstrap.mjs';

try {
  await bootstrap({ build: true });
} catch (error) {
  say(error instanceof BootstrapError ? error.message : String(error?.stack ?? error));
  process.exitCode = 1;
}
