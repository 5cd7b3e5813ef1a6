import { connect, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { ContractError, type HeaderField } from '#contract';
import type { Answer, ReplayConnection } from './answer.ts';
import type { PlannedRequest, StreamRequest } from './plan-request.ts';

const CAPACITY = 100;

/** One connection of HTTP/2: many requests at a time, each with its fields in their order. */
export class Http2Connection implements ReplayConnection {
  readonly capacity = CAPACITY;
  usable = true;
  readonly #session: ClientHttp2Session;

  constructor(socket: Socket, authority: string) {
    this.#session = connect(authority, {
      createConnection: () => socket,
      settings: { enablePush: false },
      maxSendHeaderBlockLength: 1_048_576,
    });
    const spent = (): void => {
      this.usable = false;
    };
    this.#session.on('error', spent).on('goaway', spent).on('close', spent);
  }

  async send(planned: PlannedRequest): Promise<Answer> {
    const request = planned.http2();
    const startedAt = performance.now();
    const stream = this.#open(request);
    const answered = receive(stream);
    const written = request.body === null ? Promise.resolve() : write(stream, request.body());
    await Promise.race([written.catch(() => undefined), answered]);
    const { status, fields } = await answered;
    return { status, fields, milliseconds: performance.now() - startedAt };
  }

  close(): void {
    this.usable = false;
    this.#session.destroy();
  }

  #open(request: StreamRequest): ClientHttp2Stream {
    const { fields, body, trailers } = request;
    const stream = this.#session.request(rawList(fields), {
      endStream: body === null && trailers.length === 0,
      waitForTrailers: trailers.length > 0,
    });
    if (trailers.length > 0) {
      stream.on('wantTrailers', () => {
        stream.sendTrailers(Object.fromEntries(trailers.map(([name, value]) => [name.toLowerCase(), value])));
      });
      if (body === null) stream.end();
    }
    return stream;
  }
}

/** Names and values in turn, which is the form whose order is kept. */
function rawList(fields: readonly HeaderField[]): readonly string[] {
  return fields.flatMap(([name, value]) => [name, value]);
}

function receive(stream: ClientHttp2Stream): Promise<{ status: number; fields: readonly HeaderField[] }> {
  return new Promise((resolve, reject) => {
    let answer: { status: number; fields: readonly HeaderField[] } | null = null;
    stream.on('response', (headers: IncomingHttpHeaders & { ':status'?: number }) => {
      answer = { status: headers[':status'] ?? 0, fields: fieldsOf(headers) };
    });
    stream.on('end', () => {
      if (answer !== null) resolve(answer);
    });
    stream.on('error', reject);
    stream.on('close', () => {
      reject(new Error('The stream was closed before the answer was whole.'));
    });
    stream.resume();
  });
}

function fieldsOf(headers: IncomingHttpHeaders): readonly HeaderField[] {
  return Object.entries(headers).flatMap(([name, value]): HeaderField[] => {
    if (name.startsWith(':') || value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map((one) => [name, one]);
  });
}

async function write(stream: ClientHttp2Stream, pieces: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (stream.destroyed) return;
      if (!stream.write(piece)) await drained(stream);
    }
    stream.end();
  } catch (error: unknown) {
    stream.destroy(error instanceof ContractError ? error : new Error(String(error)));
  }
}

function drained(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}
