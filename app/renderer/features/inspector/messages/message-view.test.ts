import { expect, test } from 'vitest';
import { CONNECT_CODES, ProtoTypes, type MessageSummary } from '#contract';
import { connectCodeText, isQuiet, lineOfMessage, viewsOfMessage } from './message-view.ts';

const END: MessageSummary = {
  exchange: 1,
  sequence: 3,
  side: 'response',
  kind: 'end-stream',
  time: 0,
  bytes: 2,
  wireBytes: 7,
  marks: [],
  anomalies: [],
  facts: {},
  preview: '{}',
};
const TYPING = { types: new ProtoTypes({ types: [], enums: [], methods: [] }), type: null };
const line = (facts: MessageSummary['facts']): string => lineOfMessage({ ...END, facts }, TYPING);

test('the end of a stream of Connect says how the call went', () => {
  expect(line({})).toBe('end of the stream: ok');
  expect(line({ code: 'unavailable', message: 'overloaded\u202e' })).toBe(
    'end of the stream: unavailable · overloaded‹U+202E›',
  );
});

test('an error that says no more than its code is told in words', () => {
  expect(line({ code: 'unimplemented' })).toBe(
    'end of the stream: unimplemented · The service does not have this method, or it is switched off.',
  );
  expect(line({ code: 'toString' })).toBe('end of the stream: toString');
});

test('every code has its words, and what is no code has none', () => {
  for (const code of CONNECT_CODES.slice(1)) expect(connectCodeText(code)).toMatch(/^[A-Z].*\.$/);
  for (const other of ['ok', 'toString', '']) expect(connectCodeText(other)).toBe('');
});

test('a good end is quiet, a failure is not; both are read as JSON', () => {
  expect(isQuiet(END)).toBe(true);
  expect(isQuiet({ ...END, facts: { code: 'aborted' } })).toBe(false);
  expect(viewsOfMessage(END)).toEqual(['pretty', 'text', 'hex']);
});
