#!/usr/bin/env node
// The test command: makes a clone ready, then runs every check one after the other and adds them up.
//
//   node bin/test.mjs              everything
//   node bin/test.mjs --quick      types, lint and unit tests
//   node bin/test.mjs --only NAME  one step (several: repeat it); --list names them
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { bootstrap, BootstrapError, nodeToRun, ROOT, say } from './bootstrap.mjs';

const REPORTS = join(ROOT, '.cache', 'test');
const MINUTE = 60_000;

/**
 * A step is one check (counts as one) or a project of tests (counts each test).
 *
 * @typedef {{ name: string; script: string; args: string[]; quick?: boolean; project?: boolean; minutes: number }} Step
 */

/** @type {Step[]} */
const CHECKS = [
  check('format', 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']),
  check('lint', 'eslint/bin/eslint.js', ['.', '--max-warnings', '0'], true),
  check('layers', 'dependency-cruiser/bin/dependency-cruise.mjs', [
    '--config',
    '.dependency-cruiser.mjs',
    '--output-type',
    'err-long',
    ...['app', 'proxy-engine', 'bench', 'bin', 'test', 'resources', 'vitest.config.ts', 'electron.vite.config.ts'],
  ]),
  check('dead code', 'knip/bin/knip.js', ['--no-progress']),
  ...['core', 'contract', 'node', 'tests'].map((runtime) =>
    check(`types ${runtime}`, 'typescript/bin/tsc', ['-p', `tsconfig.${runtime}.json`], true),
  ),
  check(
    'types page',
    'svelte-check/bin/svelte-check',
    ['--tsconfig', 'tsconfig.page.json', '--fail-on-warnings', '--output', 'human'],
    true,
  ),
];

/** @type {Step[]} */
const PROJECTS = [
  project('unit', 8, true),
  project('integration', 12),
  project('conformance', 8),
  project('fuzz', 8),
  project('e2e', 12),
];

/** Long: run by name only. @type {Step[]} */
const ON_DEMAND = [project('acceptance', 60)];

function check(name, script, args, quick = false) {
  return { name, script, args, quick, minutes: 8 };
}

function project(name, minutes, quick = false) {
  const args = ['run', '--project', name, '--reporter=default', '--reporter=json', `--outputFile.json=${report(name)}`];
  return { name, script: 'vitest/vitest.mjs', args, quick, project: true, minutes };
}

function report(name) {
  return join(REPORTS, `${name}.json`);
}

/** A signal ends the step that runs and begins no other. */
let stopped = false;

const words = process.argv.slice(2);
const only = words.flatMap((word, index) => (words[index - 1] === '--only' ? [word] : []));
const all = [...CHECKS, ...PROJECTS, ...ON_DEMAND];

if (words.includes('--list')) {
  for (const step of all) console.log(step.name);
} else {
  try {
    const steps = all.filter((step) =>
      only.length > 0
        ? only.some((name) => step.name === name || step.name.startsWith(`${name} `))
        : !ON_DEMAND.includes(step) && (step.quick === true || !words.includes('--quick')),
    );
    process.exitCode = await runAll(steps);
  } catch (error) {
    say(error instanceof BootstrapError ? error.message : String(error?.stack ?? error));
    console.log('0 passed, 1 failed');
    process.exitCode = 1;
  }
}

/** @param {Step[]} steps @returns {Promise<number>} exit code */
async function runAll(steps) {
  const needsBuild = steps.some((step) => step.project && step.name !== 'unit' && step.name !== 'fuzz');
  await bootstrap({ build: needsBuild });
  mkdirSync(REPORTS, { recursive: true });
  const results = [];
  // Checks do not disturb each other, tests measure time: checks two at a time, then one project after the other.
  const waiting = steps.filter((step) => !step.project);
  const lane = async () => {
    for (let step = waiting.shift(); step !== undefined && !stopped; step = waiting.shift()) {
      results.push(await runStep(step));
    }
  };
  await Promise.all([lane(), lane()]);
  for (const step of steps.filter((candidate) => candidate.project)) {
    if (!stopped) results.push(await runStep(step));
  }

  console.log('');
  for (const result of results) {
    const counts = result.step.project
      ? `${result.passed} passed, ${result.failed} failed`
      : result.failed
        ? 'failed'
        : 'ok';
    console.log(`${result.step.name.padEnd(16)} ${result.seconds.padStart(7)} s   ${counts}`);
    for (const name of result.skipped) console.log(`  not run: ${name}`);
  }
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  if (steps.length === 0) console.log('No step has that name; --list shows them.');
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/** Runs one step; its output is shown whole when it failed, or when it is a project of tests. */
async function runStep(step) {
  if (step.project) {
    rmSync(report(step.name), { force: true });
    console.log(`\n── ${step.name}`);
  }
  const began = performance.now();
  const { code, output } = await run(step);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (!step.project) {
    const ok = code === 0;
    console.log(`── ${step.name}: ${ok ? 'ok' : 'failed'} (${seconds} s)`);
    if (!ok) console.log(output.trimEnd());
    return { step, seconds, passed: Number(ok), failed: Number(!ok), skipped: [] };
  }
  return { step, seconds, ...countTests(step.name, code) };
}

/** Adds up a project's report. A file that could not run, or a run that broke, is a failure too. */
function countTests(name, code) {
  try {
    const summary = JSON.parse(readFileSync(report(name), 'utf8'));
    const brokenFiles = summary.testResults.filter(
      (file) => file.status === 'failed' && !file.assertionResults.some((result) => result.status === 'failed'),
    ).length;
    const failed = summary.numFailedTests + brokenFiles;
    const skipped = summary.testResults.flatMap((file) =>
      file.assertionResults
        .filter((result) => ['skipped', 'pending', 'todo', 'disabled'].includes(result.status))
        .map((result) => result.fullName),
    );
    // An unhandled error fails the run without failing a test.
    return { passed: summary.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed, skipped };
  } catch {
    console.log(`${name} left no report; it ended with ${code}.`);
    return { passed: 0, failed: 1, skipped: [] };
  }
}

/** @param {Step} step @returns {Promise<{ code: number | string; output: string }>} */
function run(step) {
  const node = nodeToRun();
  const env = {
    ...process.env,
    // Whatever the tests start finds the pinned Node and never fetches Electron.
    PATH: `${dirname(node)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH ?? ''}`,
    WEIR_ELECTRON_DOWNLOAD: 'never',
    ELECTRON_SKIP_BINARY_DOWNLOAD: '1',
    NO_COLOR: process.env.NO_COLOR ?? '1',
  };
  delete env.FORCE_COLOR;
  return new Promise((done) => {
    const child = spawn(node, [join(ROOT, 'node_modules', step.script), ...step.args], {
      cwd: ROOT,
      env,
      stdio: ['ignore', step.project ? 'inherit' : 'pipe', step.project ? 'inherit' : 'pipe'],
      detached: process.platform !== 'win32', // a group of its own, so that a step that hangs ends with all its children
    });
    let output = '';
    const take = (bytes) => (output += bytes);
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    const end = (signal) => {
      try {
        if (process.platform === 'win32') child.kill(signal);
        else process.kill(-child.pid, signal);
      } catch {
        // Gone already.
      }
    };
    const stop = (signal) => {
      stopped = true;
      end(signal);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    const timer = setTimeout(() => {
      console.log(`${step.name} took longer than ${step.minutes} minutes and was ended.`);
      end('SIGKILL');
    }, step.minutes * MINUTE);
    const finish = (code) => {
      clearTimeout(timer);
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      done({ code, output });
    };
    child.once('error', (error) => finish(error.message));
    child.once('close', (code, signal) => finish(code ?? signal ?? 'nothing'));
  });
}
