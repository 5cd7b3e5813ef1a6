import type { ConversationPace, ConversationReplay } from '#contract';
import {
  readPayload,
  type MessageCapture,
  type RecordedClose,
  type Script,
  type ScriptStep,
} from './conversation-script.ts';

/** The WebSocket that a script is played on. */
export interface Stage {
  /** Aborted when the replay is to stop. */
  readonly signal: AbortSignal;
  isOpen(): boolean;
  /** Messages that have come from the origin. */
  received(): number;
  /** Resolves with the next message of the origin, or when the connection is over. */
  nextNews(): Promise<void>;
  send(as: { readonly kind: 'text' | 'binary' | 'ping'; readonly deflated: boolean }, payload: Buffer): Promise<void>;
  close(close: RecordedClose): void;
  progress(change: Partial<ConversationReplay>): void;
}

/** An origin may take this long, or twice as long as the first time, milliseconds. */
const LEAST_PATIENCE_MS = 30_000;
/** The same before an origin's own close when nothing else is waited for. */
const FAST_PATIENCE_MS = 5_000;
/** What a timer can hold. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Sends what a script says at the pace that was chosen, and closes as it says.
 *
 * @param openedAt when the recorded WebSocket was opened, microseconds since the Unix epoch
 * @returns whether it came to its end
 * @throws ContractError `body-dropped`, `unavailable`
 * @throws Error when the origin does not answer as it had, with a message for a person
 */
export async function playScript(
  script: Script,
  pace: ConversationPace,
  openedAt: number,
  capture: MessageCapture,
  stage: Stage,
): Promise<boolean> {
  const began = performance.now();
  let sent = 0;
  let before = openedAt;
  for await (const step of script.steps()) {
    const gap = Math.max(0, step.time - before) / 1_000;
    if (pace === 'recorded') await until(began + Math.max(0, step.time - openedAt) / 1_000, stage);
    if (pace === 'answers') await answers(step, gap, stage);
    before = step.time;
    if (!isOn(stage)) return closedAsRecorded(step, stage);
    if (step.action.kind === 'close') {
      await end(step.action.close, pace === 'fast' ? FAST_PATIENCE_MS : patience(gap), stage);
      return !stage.signal.aborted;
    }
    const { message } = step.action;
    const payload = await readPayload(capture, message);
    if (!isOn(stage)) return false;
    const kind = message.kind === 'text' || message.kind === 'ping' ? message.kind : 'binary';
    await stage.send({ kind, deflated: message.marks.includes('compressed') }, payload);
    sent += 1;
    stage.progress({ sent });
  }
  return true;
}

function isOn(stage: Stage): boolean {
  return stage.isOpen() && !stage.signal.aborted;
}

/** The origin was quicker with its close than the client: everything was sent all the same. */
function closedAsRecorded({ action }: ScriptStep, stage: Stage): boolean {
  return action.kind === 'close' && !stage.signal.aborted;
}

function patience(gap: number): number {
  return Math.max(LEAST_PATIENCE_MS, 2 * gap);
}

async function until(time: number, stage: Stage): Promise<void> {
  while (isOn(stage) && performance.now() < time) await withNews(stage, time - performance.now());
}

/** Waits for as many messages of the origin as had come before. */
async function answers({ answersBefore }: ScriptStep, gap: number, stage: Stage): Promise<void> {
  const most = patience(gap);
  while (isOn(stage) && stage.received() < answersBefore) {
    const received = stage.received();
    stage.progress({ awaits: answersBefore - received });
    if (!(await withNews(stage, most))) {
      throw new Error(
        `The origin has sent ${String(received)} messages where it had sent ${String(answersBefore)} before, and none for ` +
          `${String(Math.round(most / 1_000))} seconds. Replay with the recorded gaps, or as fast as possible, to go on without them.`,
      );
    }
  }
  stage.progress({ awaits: 0 });
}

/** Closes; where the origin had been the first to, it gets the time for that. */
async function end(close: RecordedClose, most: number, stage: Stage): Promise<void> {
  const till = performance.now() + most;
  while (close.answered && isOn(stage) && performance.now() < till) {
    await withNews(stage, till - performance.now());
  }
  if (isOn(stage)) stage.close(close);
}

/** @returns whether something came in time; true, too, when the replay is to stop */
function withNews(stage: Stage, most: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (came: boolean): void => {
      clearTimeout(timer);
      stage.signal.removeEventListener('abort', stopped);
      resolve(came);
    };
    const stopped = (): void => {
      settle(true);
    };
    const timer = setTimeout(settle, Math.min(Math.max(1, most), LONGEST_TIMER_MS), false);
    stage.signal.addEventListener('abort', stopped, { once: true });
    void stage.nextNews().then(stopped);
  });
}
