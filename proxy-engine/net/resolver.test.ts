import type { lookup, LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { HostResolver, type ResolveResult } from './resolver.ts';

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** A system resolver whose answers the test gives. */
class FakeSystem {
  readonly asked: string[] = [];
  readonly #answers: Answer[] = [];

  readonly lookup = ((host: string, _options: unknown, answer: Answer) => {
    this.asked.push(host);
    this.#answers.push(answer);
  }) as unknown as typeof lookup;

  answer(addresses: LookupAddress[]): void {
    this.#answers.shift()?.(null, addresses);
  }

  fail(code: string): void {
    this.#answers.shift()?.(Object.assign(new Error(code), { code }), []);
  }
}

/** DNS servers that know one name. */
function servers(known: Readonly<Record<string, readonly string[]>>): { resolve4: never; resolve6: never } {
  const resolve = (host: string, done: (error: Error | null, addresses?: readonly string[]) => void): void => {
    const addresses = known[host];
    if (addresses === undefined) done(new Error('ENOTFOUND'));
    else done(null, addresses);
  };
  return {
    resolve4: resolve as never,
    resolve6: ((_host: string, done: (error: Error) => void) => {
      done(new Error('ENODATA'));
    }) as never,
  };
}

function ask(resolver: HostResolver, host: string, timeoutMs = 5_000): Promise<ResolveResult> {
  return new Promise((resolve) => {
    resolver.resolve(host, timeoutMs, resolve);
  });
}

describe('a host resolver', () => {
  test('answers addresses at once, also with a zone', () => {
    const answers: ResolveResult[] = [];
    const resolver = new HostResolver();
    for (const host of ['127.0.0.1', '::1', 'fe80::1%eth0'])
      resolver.resolve(host, 0, (result) => answers.push(result));
    expect(answers).toEqual(
      ['127.0.0.1', '::1', 'fe80::1%eth0'].map((address) => ({ ok: true, addresses: [address] })),
    );
  });

  test('lets families take turns, the system’s first choice first', async () => {
    const system = new FakeSystem();
    const result = ask(new HostResolver({ lookup: system.lookup }), 'a.test');
    system.answer([
      { address: '::1', family: 6 },
      { address: '::2', family: 6 },
      { address: '1.1.1.1', family: 4 },
    ]);
    expect(await result).toEqual({ ok: true, addresses: ['::1', '1.1.1.1', '::2'] });
  });

  test('asks once for callers that wait at the same time, and not again for a while', async () => {
    const system = new FakeSystem();
    const resolver = new HostResolver({ lookup: system.lookup });
    const both = Promise.all([ask(resolver, 'a.test'), ask(resolver, 'a.test')]);
    system.answer([{ address: '1.1.1.1', family: 4 }]);
    await both;
    await ask(resolver, 'a.test');
    expect(system.asked).toEqual(['a.test']);
  });

  test('tells a name that does not exist from a look-up that failed', async () => {
    const system = new FakeSystem();
    const resolver = new HostResolver({ lookup: system.lookup });
    const missing = ask(resolver, 'no.test');
    system.fail('ENOTFOUND');
    expect(await missing).toMatchObject({ ok: false, code: 'dns.not-found' });
    const failed = ask(resolver, 'bad.test');
    system.fail('EAI_AGAIN');
    expect(await failed).toMatchObject({ ok: false, code: 'dns.failed' });
  });

  test('asks DNS servers beside a silent system, and a name that they do not know waits on for the system', async () => {
    const system = new FakeSystem();
    const dnsClient = servers({ 'known.test': ['9.9.9.9'] });
    const resolver = new HostResolver({ lookup: system.lookup, dnsClient, rescueAfter: 0 });
    const unknown = ask(resolver, 'mdns.local');
    expect(await ask(resolver, 'known.test')).toEqual({ ok: true, addresses: ['9.9.9.9'] });
    system.answer([{ address: '10.0.0.7', family: 4 }]);
    expect(await unknown).toEqual({ ok: true, addresses: ['10.0.0.7'] });
  });

  test('gives up after the timeout and names the setting', async () => {
    const resolver = new HostResolver({ lookup: new FakeSystem().lookup });
    const result = await ask(resolver, 'slow.test', 10);
    expect(result).toMatchObject({ ok: false, code: 'dns.timeout' });
    expect(result.ok ? '' : result.message).toContain('timeouts.resolve');
  });

  test('forgets who has cancelled', () => {
    const system = new FakeSystem();
    const resolver = new HostResolver({ lookup: system.lookup });
    const cancel = resolver.resolve('a.test', 0, () => {
      throw new Error('Nobody waits any more.');
    });
    cancel();
    system.answer([{ address: '1.1.1.1', family: 4 }]);
    expect(system.asked).toHaveLength(1);
  });
});
