import { expect, test } from 'vitest';
import { HostResolver, type ResolveResult } from './resolver.ts';

/** A system that knows no name at all. */
function resolveWithoutSystem(host: string): Promise<ResolveResult> {
  const missing = Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  const lookup = ((_host: string, _options: unknown, done: (error: Error) => void) => {
    done(missing);
  }) as never;
  return new Promise((resolve) => {
    new HostResolver({ lookup }).resolve(host, 0, resolve);
  });
}

test.each(['app.localhost', 'a.b.LOCALHOST', 'app.localhost.'])(
  '%s is loopback where the system does not know it (RFC 6761 §6.3)',
  async (host) => {
    expect(await resolveWithoutSystem(host)).toEqual({ ok: true, addresses: ['127.0.0.1', '::1'] });
  },
);

test.each(['localhost.example', 'notlocalhost', 'example.test'])('%s is no such name', async (host) => {
  expect(await resolveWithoutSystem(host)).toMatchObject({ ok: false, code: 'dns.not-found' });
});
