import { utilityProcess } from 'electron';
import type { MessagePortMain } from 'electron';
import type { BackendProcess } from './supervisor.ts';

/** Forks the backend as a utility process: a crash of it leaves the windows alone, and theirs leave the traffic alone. */
export function forkBackend(entry: string, args: readonly string[]): BackendProcess<MessagePortMain> {
  const child = utilityProcess.fork(entry, [...args], { serviceName: 'Weir backend', stdio: 'inherit' });
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
