import type { MessagePort } from 'node:worker_threads';
import { parentPort } from 'node:worker_threads';
import type { Engine } from '#engine';
import { createEngine } from '#engine';
import { CaptureLink } from './capture-link.ts';
import { ClientNews } from './client-news.ts';
import type { EngineCalls, EngineCommand, EngineEvent, EngineStart } from './engine-messages.ts';

/*
 * Entry of an engine's thread. It hosts one engine and nothing else: whatever the backend does, this loop only carries
 * traffic. Batches of captured records go from here to the store's writer directly.
 */

const host = requireHost();
let engine: Engine | null = null;

const news = new ClientNews((clients) => {
  send({ type: 'clients', clients });
});
const batches = new CaptureLink((bytes, slabs) => engine?.returnCaptureCredit(bytes, slabs));

host.on('message', (command: EngineCommand) => {
  switch (command.type) {
    case 'call':
      run(command).then(
        (output) => {
          send({ type: 'result', id: command.id, output });
          if (command.name === 'stop') end();
        },
        (error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          send({ type: 'failure', id: command.id, failure: { code: 'conflict', message } });
        },
      );
      break;
    case 'capture':
      batches.use(command.port);
      break;
    case 'configure':
      engine?.configure(command.settings);
      break;
    case 'authority':
      engine?.useAuthority(command.authority);
      break;
    case 'recording':
      engine?.setRecording(command.on);
      break;
  }
});

type Call = Extract<EngineCommand, { type: 'call' }>;

async function run(call: Call): Promise<EngineCalls[keyof EngineCalls]['output']> {
  if (call.name === 'start') return start(call.input);
  if (call.name === 'stop') {
    await engine?.stop(call.input.drainMs);
    engine?.flushCapture();
    return null;
  }
  if (engine === null) throw new Error('The engine has not begun.');
  switch (call.name) {
    case 'addListeners':
      return engine.addListeners(call.input);
    case 'removeListeners':
      await engine.removeListeners(call.input);
      return null;
    case 'stats':
      return engine.stats();
    case 'flush':
      engine.flushCapture();
      return null;
  }
}

async function start({ config, capturePort }: EngineStart): ReturnType<Engine['listen']> {
  if (capturePort !== null) batches.use(capturePort);
  engine = createEngine(config, batches, {
    onClient: (connection, address) => {
      news.add(connection, address);
    },
    onUnknownClient: (address) => {
      send({ type: 'unknown-client', address });
    },
  });
  const listeners = await engine.listen();
  // Not before the backend has heard that the listeners accept.
  setImmediate(() => void engine?.prepare());
  return listeners;
}

/** Nothing holds the thread from here on: it runs out. */
function end(): void {
  batches.close();
  host.close();
}

function send(event: EngineEvent): void {
  host.postMessage(event);
}

function requireHost(): MessagePort {
  if (parentPort === null) throw new Error('This file runs in a worker thread of the backend.');
  return parentPort;
}
