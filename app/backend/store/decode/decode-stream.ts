import { codingFor, isCut, type Coding, type DecodeEngine, type DecodeStop } from './codings.ts';

const PIECE_BYTES = 16_384;
const QUEUE_BYTES = 1_048_576;

/** Ends a stream of decoded bytes early; what came before it is good. */
export class DecodeStopped extends Error {
  override readonly name = 'DecodeStopped';
  readonly reason: DecodeStop;

  constructor(reason: DecodeStop) {
    super(`Decoding stopped: ${reason}`);
    this.reason = reason;
  }
}

/**
 * Decodes a body of any size, piece by piece, in memory of about a megabyte a coding.
 *
 * @param codings in order of application, as `contentCodingsOf` gives them
 * @throws DecodeStopped after the last good bytes of a body that is cut, damaged or in an unknown coding
 */
export function decodeStream(source: AsyncIterable<Buffer>, codings: readonly string[]): AsyncIterable<Buffer> {
  return codings.toReversed().reduce((inner, name) => decodeCoding(inner, name), source);
}

async function* decodeCoding(source: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const input = new PieceReader(source);
  try {
    const begin = await input.peek(2);
    if (begin.length === 0) return;
    const coding = codingFor(name, begin);
    if (coding === null) throw new DecodeStopped('unsupported');
    do yield* decodeFrame(coding, input);
    while (coding.framed && (await input.peek(1)).length > 0);
  } finally {
    await input.close();
  }
}

/** Runs one engine until it is satisfied, or the input ends or fails. */
async function* decodeFrame(coding: Coding, input: PieceReader): AsyncGenerator<Buffer> {
  const engine = coding.createEngine();
  const queue = new OutputQueue(engine);
  const feeding = feed(engine, input, queue);
  try {
    yield* queue.drain();
  } finally {
    engine.destroy();
    await feeding;
  }
}

/** Never throws: what goes wrong reaches the reader through the queue, behind the output that came before it. */
async function feed(engine: DecodeEngine, input: PieceReader, queue: OutputQueue): Promise<void> {
  try {
    let offered = 0;
    for (let piece = await input.read(); piece !== null; piece = await input.read()) {
      offered += piece.length;
      await Promise.race([write(engine, piece), queue.over]);
      if (queue.isOver) {
        const unused = offered - engine.bytesWritten;
        if (queue.endedWell && unused > 0) input.unread(piece.subarray(piece.length - unused));
        return;
      }
    }
    engine.end();
  } catch (error: unknown) {
    queue.fail(error);
  }
}

function write(engine: DecodeEngine, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    engine.write(piece, () => {
      resolve();
    });
  });
}

/** What an engine produced and nobody took yet; holds the engine back when that is much. */
class OutputQueue {
  /** Resolves when the engine ends or fails. */
  readonly over: Promise<void>;
  isOver = false;
  endedWell = false;
  readonly #engine: DecodeEngine;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #failure: unknown = null;
  #wake: () => void = () => undefined;
  #settle: () => void = () => undefined;

  constructor(engine: DecodeEngine) {
    this.#engine = engine;
    this.over = new Promise((resolve) => (this.#settle = resolve));
    engine.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      if (this.#bytes > QUEUE_BYTES) engine.pause();
      this.#wake();
    });
    engine.on('end', () => {
      this.endedWell = true;
      this.#finish();
    });
    engine.on('close', () => {
      this.#finish();
    });
    engine.on('error', (error) => {
      this.fail(error);
    });
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.#finish();
  }

  async *drain(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunks = this.#chunks;
      this.#chunks = [];
      this.#bytes = 0;
      if (this.#engine.isPaused()) this.#engine.resume();
      yield* chunks;
      if (this.#chunks.length > 0) continue;
      if (this.isOver) break;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const failure = this.#failure;
    if (failure instanceof DecodeStopped) throw failure;
    if (failure !== null) throw new DecodeStopped(isCut(failure) ? 'cut' : 'damaged');
  }

  #finish(): void {
    this.isOver = true;
    this.#wake();
    this.#settle();
  }
}

/** Reads a source in pieces of bounded size, of which the last can be put back. */
class PieceReader {
  readonly #source: AsyncIterator<Buffer>;
  #left: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next bytes without taking them; fewer than `bytes` at the end. */
  async peek(bytes: number): Promise<Buffer> {
    while (this.#left.length < bytes && (await this.#more()));
    return this.#left.subarray(0, bytes);
  }

  async read(): Promise<Buffer | null> {
    if (this.#left.length === 0 && !(await this.#more())) return null;
    const piece = this.#left.subarray(0, PIECE_BYTES);
    this.#left = this.#left.subarray(piece.length);
    return piece;
  }

  unread(bytes: Buffer): void {
    this.#left = Buffer.concat([bytes, this.#left]);
  }

  /** Lets the source close what it holds open. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done === true) return false;
    this.#left = this.#left.length === 0 ? next.value : Buffer.concat([this.#left, next.value]);
    return true;
  }
}
