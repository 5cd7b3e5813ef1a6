// Loaded first in a forked process: gives it the `process.parentPort` of Electron's utility processes.
import { EventEmitter } from 'node:events';
import { MessageChannelMain } from './ports.ts';
import type { StandInPort } from './ports.ts';
import { refuseTheRest } from './refuse.ts';
import type { UtilityMessage } from './utility-process.ts';

interface ParentPortEvents {
  message: [event: { data: unknown; ports: readonly StandInPort[] }];
}

/** Ends of this process, by the numbers that the other side gave them. */
const farEnds = new Map<number, StandInPort>();

class ParentPort extends EventEmitter<ParentPortEvents> {
  postMessage(data: unknown): void {
    send({ kind: 'message', data, ports: [] });
  }
}

const parentPort = new ParentPort();

function send(message: UtilityMessage): void {
  process.send?.(message);
}

function arrive(id: number): StandInPort {
  const { port1, port2 } = new MessageChannelMain();
  port1.sendAway(
    (data) => {
      send({ kind: 'port', port: id, data });
    },
    () => {
      send({ kind: 'close', port: id });
    },
  );
  farEnds.set(id, port1);
  return port2;
}

process.on('message', (message: UtilityMessage) => {
  if (message.kind === 'message') {
    const ports = message.ports.map(arrive);
    parentPort.emit('message', { data: message.data, ports });
  } else if (message.kind === 'port') {
    farEnds.get(message.port)?.peer?.deliver(message.data);
  } else {
    farEnds.get(message.port)?.close();
    farEnds.delete(message.port);
  }
});

// The host is gone: Electron ends its utility processes then.
process.once('disconnect', () => {
  process.exit(0);
});

Object.defineProperty(process, 'parentPort', { value: refuseTheRest('process.parentPort', parentPort) });
