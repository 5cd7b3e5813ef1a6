import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { WeirProcess } from '../support/weir-process.ts';

const CONNECTIONS = 1_000;

/** Sockets that a process has open; Linux alone tells. Files that it happens to read are no business of this test. */
async function openSockets(pid: number): Promise<number> {
  const folder = `/proc/${String(pid)}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => 'closed meanwhile')),
  );
  return targets.filter((target) => target.startsWith('socket:')).length;
}

/** Sends one request on a connection that stays open, and waits for the head of its answer. */
async function visit(socket: Socket): Promise<string> {
  const answered = once(socket, 'data') as Promise<[Buffer]>;
  socket.write('GET /ca.pem HTTP/1.1\r\nHost: weir.test\r\n\r\n');
  const [data] = await answered;
  return data.toString('latin1', 0, 15);
}

test('a thousand idle connections are held, served and given back', async () => {
  const weir = await WeirProcess.start();
  const before = await openSockets(weir.pid);
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(weir.port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    }),
  );
  const answers = [];
  for (const socket of sockets) answers.push(await visit(socket));
  expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200 OK']));
  expect(await openSockets(weir.pid)).toBeGreaterThanOrEqual(before + CONNECTIONS);

  for (const socket of sockets) socket.destroy();
  // A new connection is accepted after the closed ones were noticed, so the count settles without a clock.
  const deadline = Date.now() + 10_000;
  while ((await openSockets(weir.pid)) > before + 2 && Date.now() < deadline) {
    const probe = connect(weir.port, '127.0.0.1');
    await once(probe, 'connect');
    await visit(probe);
    probe.destroy();
    await once(probe, 'close');
  }
  expect(await openSockets(weir.pid)).toBeLessThanOrEqual(before + 2);
  expect(await weir.stop()).toBe(0);
});
