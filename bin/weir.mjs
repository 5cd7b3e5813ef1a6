#!/usr/bin/env node
// The `weir` command's first step: makes a clone ready, then runs the command on the pinned Node. No dependencies.
const OLDEST_NODE = 20;

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  process.stderr.write(
    `Weir needs Node ${OLDEST_NODE} or newer to start.\n` +
      `  Why:  this is Node ${process.versions.node} (${process.execPath})\n` +
      `  Next: install a current Node from https://nodejs.org and run the same command again\n`,
  );
  process.exit(1);
}

// Imported late, so that an old Node reaches the message above and not a syntax error.
const { bootstrap, BootstrapError, nodeToRun, ROOT } = await import('./bootstrap.mjs');
const { runForeground } = await import('./foreground.mjs');

try {
  await bootstrap({ build: true });
  const cli = `${ROOT}/out/main/cli.js`;
  process.exitCode = await runForeground(nodeToRun(), [cli, ...process.argv.slice(2)]);
} catch (error) {
  process.stderr.write(`${error instanceof BootstrapError ? error.message : (error?.stack ?? error)}\n`);
  process.exitCode = 1;
}
