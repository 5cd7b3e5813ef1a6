import { expect, test } from 'vitest';
import { FakeBackend } from '../../../test/support/fake-backend.ts';
import { Connection, RefusedError } from './connection.svelte.ts';

test('calls made while the page connects wait for the connection', async () => {
  let open: (backend: FakeBackend) => void = () => undefined;
  const connection = new Connection(() => new Promise((resolve) => (open = resolve)));
  const info = connection.call('app.info', {});
  expect(connection.state).toBe('connecting');
  open(new FakeBackend());
  expect((await info).version).toBe('0.1.0');
  expect(connection.state).toBe('open');
});

test('a lost connection is opened again, and its streams with it', async () => {
  const backends = [new FakeBackend(), new FakeBackend()];
  const first = backends[0];
  const connection = new Connection(() => {
    const next = backends.shift();
    return next === undefined ? Promise.reject(new Error('none')) : Promise.resolve(next);
  });
  let items = 0;
  let gaps = 0;
  connection.stream(
    'app.status',
    {},
    {
      items: () => {
        items += 1;
      },
      gap: () => {
        gaps += 1;
      },
    },
  );
  await expect.poll(() => items).toBe(1);
  first?.close();
  expect(connection.state).toBe('lost');
  await expect.poll(() => items).toBe(2);
  expect(gaps).toBe(1);
  expect(connection.state).toBe('open');
});

test('a stream that is closed at the gap is not opened again', async () => {
  const backends = [new FakeBackend(), new FakeBackend()];
  const first = backends[0];
  const connection = new Connection(() => {
    const next = backends.shift();
    return next === undefined ? Promise.reject(new Error('none')) : Promise.resolve(next);
  });
  let items = 0;
  const handle = connection.stream(
    'app.status',
    {},
    {
      items: () => {
        items += 1;
      },
      gap: () => {
        handle.close();
      },
    },
  );
  await expect.poll(() => items).toBe(1);
  first?.close();
  await expect.poll(() => connection.state).toBe('open');
  await connection.call('app.info', {});
  expect(items).toBe(1);
});

test('while it is lost, calls fail at once and say so', async () => {
  const backend = new FakeBackend();
  let tries = 0;
  const connection = new Connection(() => (tries++ === 0 ? Promise.resolve(backend) : new Promise(() => undefined)));
  await expect.poll(() => connection.state).toBe('open');
  backend.close();
  await expect(connection.call('app.info', {})).rejects.toMatchObject({ code: 'unavailable' });
});

test('a refused token is not tried again', async () => {
  let tries = 0;
  const connection = new Connection(() => {
    tries += 1;
    return Promise.reject(new RefusedError('no'));
  });
  await expect.poll(() => connection.state).toBe('refused');
  expect(tries).toBe(1);
  await expect(connection.call('app.info', {})).rejects.toMatchObject({ code: 'unavailable' });
});
