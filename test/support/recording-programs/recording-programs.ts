import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { CommandRunner } from '../../../app/backend/platform/command-runner.ts';
import { createCommandRunner } from '../../../app/backend/platform/command-runner.ts';

/** Stand-ins for programs of other systems: real executables that record how they were called and keep their state in files. */
export interface RecordingPrograms {
  readonly folder: string;
  /** Runs a stand-in instead of the program of that name, wherever that lies. */
  readonly run: CommandRunner;
  /** The calls so far, one line each: program and arguments. */
  calls(): Promise<string[]>;
  /** Everything in the state, by file, for comparison. */
  state(): Promise<Record<string, string>>;
  /** The call number `step` (1 is the next) that changes something fails; 0 for none. */
  failAt(step: number): Promise<void>;
  remove(): Promise<void>;
}

/** What each script begins with, by the shell alone since it runs often: it records the call, and `change` counts down to the failure that was asked for. */
const PREAMBLE = `#!/bin/sh
cd "\${0%/*}"
name=\${0##*/}
printf '%s\\n' "$name $*" >> calls
change() {
  read left < fail || :
  [ "$left" -gt 0 ] || return 0
  left=$((left - 1)); echo "$left" > fail
  [ "$left" -eq 0 ] || return 0
  echo "$name: refused by the test" >&2
  exit 1
}
`;

/**
 * @param programs by name: the rest of a shell script, run in the folder
 * @param state files below \`state/\` to begin with
 */
export async function recordingPrograms(
  programs: Readonly<Record<string, string>>,
  state: Readonly<Record<string, string>>,
): Promise<RecordingPrograms> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-programs-'));
  await writeFile(join(folder, 'calls'), '');
  await writeFile(join(folder, 'fail'), '0\n');
  await mkdir(join(folder, 'state'));
  for (const [name, text] of Object.entries(state)) await writeFile(join(folder, 'state', name), text);
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `${PREAMBLE}${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  const run = createCommandRunner({ PATH: process.env['PATH'] });
  return {
    folder,
    run: (program, args, input) => run(join(folder, basename(program)), args, input),
    async calls() {
      return (await readFile(join(folder, 'calls'), 'utf8')).split('\n').filter((line) => line !== '');
    },
    async state() {
      const names = Object.keys(state);
      const texts = await Promise.all(names.map((name) => readFile(join(folder, 'state', name), 'utf8')));
      return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
    },
    failAt: (step) => writeFile(join(folder, 'fail'), `${String(step)}\n`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
