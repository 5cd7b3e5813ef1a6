import { describe, expect, test, vi } from 'vitest';
import type { ContractClient, ExchangeSummary, StreamListener } from '#contract';
import { ContractError, createContractClient } from '#contract';
import { createCarrierPair } from '../../../test/support/carrier-pair.ts';
import type { Services } from './server.ts';
import { serveContract } from './server.ts';

type PartialServices = {
  readonly [Part in keyof Services]?: Partial<Services[Part]>;
};

/** A client and a server of the contract in memory; what is not named in `services` does not exist. */
function connect(services: PartialServices): {
  client: ContractClient;
  reported: unknown[];
  sendRaw(frame: unknown): void;
} {
  const pair = createCarrierPair();
  const reported: unknown[] = [];
  const complete = { calls: services.calls ?? {}, streams: services.streams ?? {} } as Services;
  serveContract(pair.server, complete, (error) => reported.push(error));
  const client = createContractClient(pair.client);
  return {
    client,
    reported,
    sendRaw: (frame) => {
      pair.client.send(frame as Parameters<typeof pair.client.send>[0]);
    },
  };
}

function summary(id: number, host = 'example.com'): ExchangeSummary {
  return { id, host, path: '/', error: null, session: 1 } as ExchangeSummary;
}

/** Collects what a stream delivers and lets a test wait for it. */
class Collector<Item> implements StreamListener<Item> {
  readonly batches: (readonly Item[])[] = [];
  gaps = 0;
  readonly failure = Promise.withResolvers<ContractError | null>();
  /** Resolved by tests to let the reader return its credit. */
  hold: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  items(items: readonly Item[]): Promise<void> | undefined {
    this.batches.push(items);
    this.#wake();
    return this.hold;
  }

  gap(): void {
    this.gaps += 1;
    this.#wake();
  }

  ended(failure: ContractError | null): void {
    this.failure.resolve(failure);
  }

  async until(enough: () => boolean): Promise<void> {
    while (!enough()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

describe('a call', () => {
  test('returns what its handler returns, binary values included', async () => {
    const { client } = connect({
      calls: { 'ca.export': ({ format }) => ({ bytes: Uint8Array.of(1, 2), fileName: `weir-ca.${format}` }) },
    });
    await expect(client.call('ca.export', { format: 'der' })).resolves.toEqual({
      bytes: Uint8Array.of(1, 2),
      fileName: 'weir-ca.der',
    });
  });

  test('fails with the code, message and range that its handler throws', async () => {
    const { client } = connect({
      calls: {
        'exchanges.count': () => {
          throw new ContractError('bad-filter', 'A value is missing.', { position: 5, end: 6 });
        },
      },
    });
    await expect(client.call('exchanges.count', { session: 1, filter: 'host:' })).rejects.toMatchObject({
      code: 'bad-filter',
      message: 'A value is missing.',
      position: 5,
      end: 6,
    });
  });

  test('hides the details of unexpected failures from the client and reports them here', async () => {
    const secret = new Error('at /home/someone/secret');
    const { client, reported } = connect({ calls: { 'app.info': () => Promise.reject(secret) } });
    const failure = await client.call('app.info', {}).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'internal' });
    expect(String(failure)).not.toContain('secret');
    expect(reported).toEqual([secret]);
  });

  test('with input that its validator refuses never reaches its handler', async () => {
    const handler = vi.fn(() => ({ count: 1 }));
    const { client } = connect({ calls: { 'exchanges.count': handler } });
    const call = client.call('exchanges.count', { session: -1, filter: '' });
    await expect(call).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining('session') as string,
    });
    expect(handler).not.toHaveBeenCalled();
  });

  test.each(['toString', '__proto__', 'exchanges.delete'])('of the unknown name %s is refused', async (name) => {
    const { client } = connect({});
    await expect(client.call(name as 'app.info', {})).rejects.toMatchObject({ code: 'bad-input' });
  });

  test('that is cancelled aborts its handler and rejects at once', async () => {
    const aborted = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const { client } = connect({
      calls: {
        'exchanges.count': (_input, { signal }) => {
          started.resolve();
          signal.addEventListener('abort', () => {
            aborted.resolve();
          });
          return new Promise(() => undefined);
        },
      },
    });
    const cancel = new AbortController();
    const call = client.call('exchanges.count', { session: 1, filter: '' }, { signal: cancel.signal });
    await started.promise;
    cancel.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await aborted.promise;
  });

  test('that waits when the carrier closes fails as unavailable, and so does every later one', async () => {
    const { client } = connect({ calls: { 'app.info': () => new Promise(() => undefined) } });
    const waiting = client.call('app.info', {});
    client.close();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    await expect(client.call('app.info', {})).rejects.toMatchObject({ code: 'unavailable' });
    expect(client.closed).toBe(true);
  });

  test('more than a client may have under way is refused', async () => {
    const { client } = connect({ calls: { 'app.info': () => new Promise(() => undefined) } });
    const calls = Array.from({ length: 257 }, () => client.call('app.info', {}));
    await expect(calls.at(-1)).rejects.toMatchObject({ code: 'unavailable' });
    client.close();
    await Promise.allSettled(calls);
  });
});

describe('a stream', () => {
  test('delivers items in batches, each id once with its latest state', async () => {
    const { client } = connect({
      streams: {
        'exchanges.changed': (_input, sink) => {
          sink.push(summary(1, 'first'));
          sink.push(summary(2));
          sink.push(summary(1, 'latest'));
        },
      },
    });
    const collector = new Collector<ExchangeSummary>();
    client.stream('exchanges.changed', { session: 1 }, collector);
    await collector.until(() => collector.batches.length > 0);
    expect(collector.batches).toEqual([[summary(1, 'latest'), summary(2)]]);
  });

  test('flushes a full batch without waiting for the clock', async () => {
    vi.useFakeTimers();
    try {
      const { client } = connect({
        streams: {
          'exchanges.changed': (_input, sink) => {
            for (let id = 1; id <= 256; id += 1) sink.push(summary(id));
          },
        },
      });
      const collector = new Collector<ExchangeSummary>();
      client.stream('exchanges.changed', { session: 1 }, collector);
      await collector.until(() => collector.batches.length > 0);
      expect(collector.batches[0]?.length).toBeGreaterThan(200);
    } finally {
      vi.useRealTimers();
    }
  });

  test('stops at the end of the reader’s credit and goes on when it is returned', async () => {
    const { client } = connect({
      streams: {
        'exchanges.changed': (_input, sink) => {
          for (let id = 1; id <= 3_000; id += 1) sink.push(summary(id));
        },
      },
    });
    const collector = new Collector<ExchangeSummary>();
    const hold = Promise.withResolvers<void>();
    collector.hold = hold.promise;
    client.stream('exchanges.changed', { session: 1 }, collector);
    const received = (): number => collector.batches.flat().length;
    await collector.until(() => received() === 1_024);
    collector.hold = undefined;
    hold.resolve();
    await collector.until(() => received() === 3_000);
    expect(collector.batches.flat().map(({ id }) => id)).toEqual(
      Array.from({ length: 3_000 }, (_, index) => index + 1),
    );
    expect(collector.gaps).toBe(0);
  });

  test('tells of a gap instead of holding more than its bound for a reader that is stuck', async () => {
    const { client } = connect({
      streams: {
        'exchanges.changed': (_input, sink) => {
          for (let id = 1; id <= 22_000; id += 1) sink.push(summary(id));
        },
      },
    });
    const collector = new Collector<ExchangeSummary>();
    const hold = Promise.withResolvers<void>();
    collector.hold = hold.promise;
    client.stream('exchanges.changed', { session: 1 }, collector);
    await collector.until(() => collector.batches.flat().length === 1_024);
    collector.hold = undefined;
    hold.resolve();
    await collector.until(() => collector.gaps === 1);
  });

  test('ends its handler when the reader closes it', async () => {
    const aborted = Promise.withResolvers<void>();
    const { client } = connect({
      streams: {
        'exchanges.changed': (_input, sink, { signal }) => {
          sink.push(summary(1));
          signal.addEventListener('abort', () => {
            aborted.resolve();
          });
        },
      },
    });
    const collector = new Collector<ExchangeSummary>();
    const stream = client.stream('exchanges.changed', { session: 1 }, collector);
    await collector.until(() => collector.batches.length > 0);
    stream.close();
    await aborted.promise;
  });

  test('ends with the failure that the service gives', async () => {
    const { client } = connect({
      streams: {
        'listeners.hold': (_input, sink) => {
          sink.end({ code: 'conflict', message: 'The port is taken.' });
        },
      },
    });
    const collector = new Collector();
    const listeners = [{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 1 }] as const;
    client.stream('listeners.hold', { listeners }, collector);
    await expect(collector.failure.promise).resolves.toMatchObject({ code: 'conflict' });
  });

  test('with input that its validator refuses ends with bad-input', async () => {
    const { client } = connect({});
    const collector = new Collector();
    client.stream('exchanges.changed', { session: 0.5 }, collector);
    await expect(collector.failure.promise).resolves.toMatchObject({ code: 'bad-input' });
  });

  test('ends as unavailable when the carrier closes', async () => {
    const { client } = connect({ streams: { 'app.status': () => undefined } });
    const collector = new Collector();
    client.stream('app.status', {}, collector);
    client.close();
    await expect(collector.failure.promise).resolves.toMatchObject({ code: 'unavailable' });
  });
});

test.each([
  ['a number', 7],
  ['nothing', null],
  ['an unknown type', { type: 'shutdown', id: 1 }],
  ['an id that is no number', { type: 'cancel', id: '1' }],
  ['a credit that is no whole number', { type: 'credit', id: 1, items: Number.NaN }],
  ['a field too many', { type: 'cancel', id: 1, more: true }],
])('a frame that is %s closes the carrier', async (_, frame) => {
  const { client, sendRaw } = connect({});
  const closed = new Promise<void>((resolve) => client.onClose(resolve));
  sendRaw(frame);
  await closed;
});
