import { expect, test } from 'vitest';
import { readConnectEnd } from './connect-end.ts';

const read = (text: string): object => readConnectEnd(Buffer.from(text));

test.each(['{}', '{"metadata":{"acme-operation-cost":["237"]}}'])('%s ends a call that went well', (text) => {
  expect(read(text)).toEqual({ status: 0, facts: {}, isBroken: false });
});

test('an error has a code, which gRPC numbers, and may say more', () => {
  expect(read('{"error":{"code":"unauthenticated"}}')).toEqual({
    status: 16,
    facts: { code: 'unauthenticated' },
    isBroken: false,
  });
  expect(read('{"error":{"code":"canceled","message":"no time","details":[]},"metadata":{}}')).toEqual({
    status: 1,
    facts: { code: 'canceled', message: 'no time' },
    isBroken: false,
  });
});

test.each([
  ['null', '{"error":null}', 'unknown'],
  ['without a code', '{"error":{}}', 'unknown'],
  ['with a code that is null', '{"error":{"code":null}}', 'unknown'],
  ['with a code that does not exist', '{"error":{"code":"broken"}}', 'broken'],
  ['with the code of no error', '{"error":{"code":"ok"}}', 'ok'],
])('an error that is %s is an unknown one, and wrong', (_name, text, code) => {
  expect(read(text)).toEqual({ status: 2, facts: { code }, isBroken: true });
});

test.each([
  ['no JSON', 'grpc-status: 0'],
  ['no object', '[]'],
  ['longer than a megabyte', `{"metadata":{"a":["${'x'.repeat(1_048_576)}"]}}`],
])('what is %s says nothing', (_name, text) => {
  expect(read(text)).toEqual({ status: null, facts: {}, isBroken: true });
});

test('a message is kept up to its limit', () => {
  const end = readConnectEnd(Buffer.from(JSON.stringify({ error: { code: 'internal', message: 'x'.repeat(5_000) } })));
  expect(end.facts['message']).toHaveLength(1_000);
});
