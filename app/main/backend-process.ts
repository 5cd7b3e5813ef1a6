import { utilityProcess } from 'electron';
import type { MessagePortMain } from 'electron';
import type { BackendProcess } from './supervisor.ts';

/** Forks the backend as a utility process: a crash of it leaves the windows alone, and theirs leave the traffic alone. */
export function forkBackend(entry: string, args: readonly string[]): BackendProcess<MessagePortMain> {
  // Slow name look-ups must not keep files and other look-ups waiting: half of these threads are theirs.
  const env = { UV_THREADPOOL_SIZE: '16', ...process.env };
  const child = utilityProcess.fork(entry, [...args], { serviceName: 'Weir backend', stdio: 'inherit', env });
  return {
    send: (message, ports) => {
      child.postMessage(message, [...ports]);
    },
    onMessage: (listener) => {
      child.on('message', listener);
    },
    onExit: (listener) => {
      child.once('exit', listener);
    },
    kill: () => {
      // kill() asks politely, and this one has already been asked.
      if (child.pid === undefined) child.kill();
      else process.kill(child.pid, 'SIGKILL');
    },
  };
}
