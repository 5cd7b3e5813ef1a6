import { expect, test } from 'vitest';
import type { HostToBackend } from '../contract/desktop.ts';
import { RESTART_DELAY, Supervisor } from './supervisor.ts';
import type { BackendProcess, BackendState } from './supervisor.ts';

class FakeProcess implements BackendProcess<string> {
  readonly sent: { message: HostToBackend; ports: readonly string[] }[] = [];
  killed = false;
  tell: (message: unknown) => void = () => undefined;
  exit: (code: number) => void = () => undefined;
  send(message: HostToBackend, ports: readonly string[]): void {
    this.sent.push({ message, ports });
  }
  onMessage(listener: (message: unknown) => void): void {
    this.tell = listener;
  }
  onExit(listener: (code: number) => void): void {
    this.exit = listener;
  }
  kill(): void {
    this.killed = true;
    this.exit(137);
  }
}

/** A supervisor with processes and a clock that the test moves. */
class Stage {
  readonly processes: FakeProcess[] = [];
  readonly states: BackendState[] = [];
  time = 0;
  readonly #timers = new Set<{ due: number; callback: () => void }>();
  readonly supervisor = new Supervisor<string>({
    start: () => {
      const process = new FakeProcess();
      this.processes.push(process);
      return process;
    },
    onState: (state) => this.states.push(state),
    now: () => this.time,
    after: (milliseconds, callback) => {
      const timer = { due: this.time + milliseconds, callback };
      this.#timers.add(timer);
      return () => this.#timers.delete(timer);
    },
  });

  get current(): FakeProcess {
    const last = this.processes.at(-1);
    if (last === undefined) throw new Error('no process was started');
    return last;
  }

  advance(milliseconds: number): void {
    this.time += milliseconds;
    for (const timer of [...this.#timers].filter(({ due }) => due <= this.time)) {
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}

test('a window gets its port only once the backend serves', () => {
  const stage = new Stage();
  stage.supervisor.start();

  expect(stage.supervisor.connect('early')).toBe(false);
  stage.current.tell({ type: 'ready' });

  expect(stage.supervisor.connect('window')).toBe(true);
  expect(stage.current.sent).toEqual([{ message: { type: 'connect' }, ports: ['window'] }]);
});

test('a backend that crashed is started again after a pause', () => {
  const stage = new Stage();
  stage.supervisor.start();
  stage.current.tell({ type: 'ready' });

  stage.current.exit(139);

  expect(stage.states.at(-1)).toEqual({
    name: 'down',
    message: 'The backend stopped unexpectedly (exit code 139).',
    retryInMs: RESTART_DELAY.first,
  });
  expect(stage.supervisor.connect('window')).toBe(false);
  stage.advance(RESTART_DELAY.first);
  expect(stage.processes).toHaveLength(2);
});

test('pauses grow with each crash that follows soon, up to the longest', () => {
  const stage = new Stage();
  stage.supervisor.start();
  const pauses: number[] = [];

  for (let crash = 0; crash < 8; crash += 1) {
    stage.current.exit(1);
    const state = stage.states.at(-1);
    if (state?.name !== 'down') throw new Error('expected a pause');
    pauses.push(state.retryInMs);
    stage.advance(state.retryInMs);
  }

  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test('a long good run makes earlier crashes forgotten', () => {
  const stage = new Stage();
  stage.supervisor.start();
  stage.current.exit(1);
  stage.advance(RESTART_DELAY.first);

  stage.advance(RESTART_DELAY.forgottenAfter);
  stage.current.exit(1);

  expect(stage.states.at(-1)).toMatchObject({ retryInMs: RESTART_DELAY.first });
});

test('a backend that says why it cannot start is quoted', () => {
  const stage = new Stage();
  stage.supervisor.start();

  stage.current.tell({ type: 'failed', message: 'Port 8686 is taken.' });
  stage.current.exit(1);

  expect(stage.states.at(-1)).toMatchObject({ name: 'down', message: 'Port 8686 is taken.' });
});

test('stopping drains the backend and does not start it again', async () => {
  const stage = new Stage();
  stage.supervisor.start();
  stage.current.tell({ type: 'ready' });

  const stopped = stage.supervisor.stop(5_000);
  expect(stage.current.sent).toEqual([{ message: { type: 'drain' }, ports: [] }]);
  stage.current.exit(0);
  await stopped;

  expect(stage.current.killed).toBe(false);
  expect(stage.states.at(-1)).toEqual({ name: 'stopped' });
  stage.advance(60_000);
  expect(stage.processes).toHaveLength(1);
});

test('a backend that does not end in time is killed', async () => {
  const stage = new Stage();
  stage.supervisor.start();

  const stopped = stage.supervisor.stop(5_000);
  stage.advance(5_000);
  await stopped;

  expect(stage.current.killed).toBe(true);
});

test('stopping during a pause cancels the restart', async () => {
  const stage = new Stage();
  stage.supervisor.start();
  stage.current.exit(1);

  await stage.supervisor.stop(5_000);
  stage.advance(60_000);

  expect(stage.processes).toHaveLength(1);
});

test('messages that are none of the agreed ones change nothing', () => {
  const stage = new Stage();
  stage.supervisor.start();

  for (const message of [null, 'ready', { type: 'other' }, { type: 'failed' }]) stage.current.tell(message);

  expect(stage.states).toEqual([{ name: 'starting' }]);
});
