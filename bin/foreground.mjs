import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs a Node program in this one's place: same terminal, same signals, same exit code.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string; env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>} exit code; 128 plus the signal's number when a signal ended it
 */
export function runForeground(command, args, options = {}) {
  return new Promise((done, fail) => {
    // Slow name look-ups must not keep files and other look-ups waiting: half of these threads are theirs.
    const env = { UV_THREADPOOL_SIZE: '16', ...(options.env ?? process.env) };
    // The channel carries nothing: that it closes tells the command that its launcher was killed.
    const child = spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], ...options, env });
    const forward = (signal) => {
      // A terminal's Ctrl-C reaches the whole foreground group, the child too; once is enough.
      if (signal === 'SIGINT' && process.stdin.isTTY === true) return;
      child.kill(signal);
    };
    const signals = process.platform === 'win32' ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
    for (const signal of signals) process.on(signal, forward);
    // npm that is ended by a signal leaves what it ran behind: nobody would know of it any more.
    const launcher = process.ppid;
    const watch = setInterval(() => {
      if (process.env['npm_lifecycle_event'] !== undefined && process.ppid !== launcher) child.kill('SIGTERM');
    }, 500);
    watch.unref();
    const finish = () => {
      clearInterval(watch);
      for (const signal of signals) process.off(signal, forward);
    };
    child.once('error', (error) => {
      finish();
      fail(error);
    });
    child.once('exit', (code, signal) => {
      finish();
      done(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
