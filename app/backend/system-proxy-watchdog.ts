import { createCommandRunner } from './platform/command-runner.ts';
import { restore } from './platform/system-proxy/change-system-proxy.ts';
import { chooseSystemProxy } from './platform/system-proxy/choose-platform.ts';
import { openSystemProxyJournal } from './system-proxy-journal.ts';

/*
 * A small process of its own that lives as long as the system proxy is on. It holds the other end of a pipe of the backend:
 * the pipe ends with the backend, however that ends, and then what was before is put back. A word over the pipe says that
 * the backend has done so itself. Arguments: the record's file and its id.
 */

const [path = '', id = ''] = process.argv.slice(2);
const DONE = 'done';

// It must outlive whatever ends the backend, a closing terminal and a logout included; its end comes by the pipe.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.stdout.on('error', () => undefined);

let heard = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (word: string) => {
  heard += word;
});
process.stdin.once('error', backendEnded);
process.stdin.once('end', backendEnded);
process.stdout.write('ready\n');

function backendEnded(): void {
  if (heard.trim() === DONE) return;
  const platform = chooseSystemProxy(process.platform, process.env, createCommandRunner(process.env));
  if (typeof platform === 'string') return;
  // What cannot be put back now is tried again at the next start, which says so.
  restore(platform, openSystemProxyJournal(path), id).catch(() => {
    process.exitCode = 1;
  });
}
