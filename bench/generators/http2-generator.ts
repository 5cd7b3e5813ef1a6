import { connect, type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders } from 'node:http2';
import { GRPC_MESSAGE } from '../origins/answers.ts';
import { DUPLEX_WINDOW, type GeneratorPlan } from '../workload.ts';
import type { Meter } from './meter.ts';
import { openConnection } from './open-connection.ts';
import type { Pace } from './pace.ts';

/** Keeps a fixed number of streams busy on every connection. */
export async function driveHttp2(plan: GeneratorPlan, meter: Meter, pace: Pace): Promise<Promise<void>[]> {
  const sessions = await Promise.all(
    Array.from({ length: plan.connections }, async () => {
      const socket = await openConnection(plan, 'h2');
      const session = connect(`${plan.workload.tls ? 'https' : 'http'}://${plan.host}`, {
        createConnection: () => socket,
        settings: { initialWindowSize: 1_048_576 },
      });
      session.on('error', () => {
        meter.failed();
      });
      return session;
    }),
  );
  const { duplex } = plan.workload;
  return sessions.map(async (session) => {
    await Promise.all(
      Array.from({ length: plan.streams }, () =>
        duplex ? exchange(session, plan, meter) : drive(session, plan, meter, pace),
      ),
    );
    session.destroy();
  });
}

async function drive(session: ClientHttp2Session, plan: GeneratorPlan, meter: Meter, pace: Pace): Promise<void> {
  const { path, sends, grpc } = plan.workload;
  const body = grpc ? GRPC_MESSAGE : sends > 0 ? Buffer.alloc(sends, 'b') : null;
  const headers: OutgoingHttpHeaders = {
    ':method': body === null ? 'GET' : 'POST',
    ':path': path,
    'user-agent': 'weir-bench',
    ...(grpc ? { 'content-type': 'application/grpc', te: 'trailers' } : {}),
    ...(body !== null && !grpc ? { 'content-length': sends } : {}),
  };
  while (!session.destroyed) {
    const startedAt = await new Promise<number | null>((begin) => {
      pace.next(begin);
    });
    if (startedAt === null) return;
    if (await ask(session, headers, body, grpc)) meter.done(startedAt);
    else meter.failed();
  }
}

/** @returns whether the answer is right: status 200, for gRPC also `grpc-status: 0` in the trailers */
function ask(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: Buffer | null,
  grpc: boolean,
): Promise<boolean> {
  return new Promise((resolve) => {
    const stream = session.request(headers, { endStream: body === null });
    let isRight = false;
    stream.on('response', (head) => (isRight = head[':status'] === 200 && !grpc));
    stream.on('trailers', (trailers) => (isRight = trailers['grpc-status'] === '0'));
    stream.on('error', () => (isRight = false));
    stream.on('close', () => {
      resolve(isRight);
    });
    stream.resume();
    if (body !== null) stream.end(body);
  });
}

/** One long stream: a message that came back is an operation, and the next one goes out for it. */
function exchange(session: ClientHttp2Session, { workload }: GeneratorPlan, meter: Meter): Promise<void> {
  const { path, sends } = workload;
  const message = Buffer.alloc(sends, 'd');
  const stream: ClientHttp2Stream = session.request({ ':method': 'POST', ':path': path, 'user-agent': 'weir-bench' });
  const sentAt: number[] = [];
  let missing = sends;
  const send = (): void => {
    sentAt.push(performance.now());
    stream.write(message);
  };
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      for (missing -= chunk.length; missing <= 0; missing += sends) {
        meter.done(sentAt.shift() ?? performance.now());
        if (meter.stopping) stream.close();
        else send();
      }
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      // Before the window's end nobody should have closed it.
      meter.failed();
      resolve();
    });
    for (let n = 0; n < DUPLEX_WINDOW; n += 1) send();
  });
}
