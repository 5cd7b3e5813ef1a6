import { expect, test } from 'vitest';
import { hostTerm, hostTree, registeredDomain } from './host-tree.ts';

const host = (name: string, exchanges: number, errors = 0, port = 443) => ({ host: name, port, exchanges, errors });

test('hosts of one domain stand below it by name, with their sums', () => {
  const tree = hostTree([host('api.weir.test', 412, 3), host('cdn.weir.test', 731, 1), host('example.org', 2)]);
  expect(tree.map(({ label, exchanges, errors }) => ({ label, exchanges, errors }))).toEqual([
    { label: 'example.org', exchanges: 2, errors: 0 },
    { label: 'weir.test', exchanges: 1_143, errors: 4 },
  ]);
  expect(tree[1]?.children.map(({ label, filter }) => [label, filter])).toEqual([
    ['api', 'host:api.weir.test'],
    ['cdn', 'host:cdn.weir.test'],
  ]);
});

test('a host alone is one line, with its port unless it is a usual one', () => {
  expect(hostTree([host('localhost', 13, 0, 3_000)])[0]).toMatchObject({
    label: 'localhost:3000',
    filter: 'host:localhost port:3000',
    children: [],
  });
});

test('ports 80 and 443 of a host are counted together', () => {
  expect(hostTree([host('a.test', 1, 0, 80), host('a.test', 2, 1, 443)])).toMatchObject([
    { label: 'a.test', exchanges: 3, errors: 1 },
  ]);
});

test('a child on another port keeps its number', () => {
  const [domain] = hostTree([host('api.weir.test', 2, 0, 8_443), host('cdn.weir.test', 1)]);
  expect(domain?.children.map(({ label }) => label)).toEqual(['api:8443', 'cdn']);
});

test.each([
  ['api.shop.example.com', 'example.com'],
  ['shop.co.uk', 'shop.co.uk'],
  ['www.shop.co.uk', 'shop.co.uk'],
  ['192.168.1.10', '192.168.1.10'],
  ['::1', '::1'],
  ['localhost', 'localhost'],
])('%s belongs to %s', (name, domain) => {
  expect(registeredDomain(name)).toBe(domain);
});

test('names that the filter language would read otherwise are quoted', () => {
  expect(hostTerm('::1', 8_080)).toBe('host:"::1" port:8080');
});
