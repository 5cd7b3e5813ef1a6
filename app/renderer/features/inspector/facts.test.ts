import { expect, test } from 'vitest';
import { fakeExchange } from '../../../../test/support/fake-exchanges.ts';
import { commonName, generalFacts, validityOf } from './facts.ts';

const CERTIFICATE = {
  subject: 'CN=old.weir.test',
  issuer: 'CN=CA',
  names: [],
  serialNumber: '1',
  notBefore: '2025-12-03T00:00:00.000Z',
  notAfter: '2026-03-03T23:59:59.000Z',
  fingerprint: '',
  key: 'EC P-256',
};
const at = (iso: string): number => Date.parse(iso) * 1_000;

test('a certificate is judged at the time of the exchange', () => {
  expect(validityOf(CERTIFICATE, at('2026-06-15T09:30:00Z'))).toEqual({ text: 'expired 3 Mar 2026', tone: 'error' });
  expect(validityOf(CERTIFICATE, at('2025-12-02T00:00:00Z'))).toEqual({
    text: 'not valid before 3 Dec 2025',
    tone: 'error',
  });
  expect(validityOf(CERTIFICATE, at('2026-01-01T00:00:00Z')).tone).toBe('ok');
  expect(validityOf(CERTIFICATE, at('2026-02-26T00:00:00Z'))).toEqual({ text: 'ends in 5 days', tone: 'warn' });
});

test('a common name is taken out of its distinguished name, which stands for itself without one', () => {
  expect(commonName('CN=Weir CA, O=Weir')).toBe('Weir CA');
  expect(commonName('O=Org\nCN=Inner')).toBe('Inner');
  expect(commonName('O=Org')).toBe('O=Org');
});

test.each([
  ['application/grpc+proto', 14, { name: 'gRPC status', value: '14 UNAVAILABLE', tone: 'warn' }],
  ['application/connect+json', 14, { name: 'Connect status', value: 'unavailable', tone: 'warn' }],
  ['application/connect+proto', 0, { name: 'Connect status', value: 'ok', tone: 'ok' }],
])('how a call of %s ended with %i is told in its own words', (mediaType, grpcStatus, fact) => {
  expect(generalFacts({ ...fakeExchange(0, 1), mediaType, grpcStatus })).toContainEqual(fact);
});
