import { expect, test } from 'vitest';
import { ImportSyntaxError, JsonEntries } from './json-entries.ts';

const FILE = JSON.stringify({
  log: {
    version: '1.2',
    pages: [{ id: 'page "1"', title: 'entries":[{' }],
    entries: [{ a: 'brackets }] and "quotes" \\' }, { b: [{ c: {} }, []] }, { d: 'ü€😀' }],
    creator: { entries: [{ no: true }] },
  },
});

function entriesOf(pieces: readonly Buffer[]): { texts: string[]; splitter: JsonEntries } {
  const texts: string[] = [];
  const splitter = new JsonEntries({ entry: (text) => texts.push(text), tooLong: () => texts.push('too long') });
  for (const piece of pieces) splitter.receive(piece);
  return { texts, splitter };
}

const EXPECTED = [{ a: 'brackets }] and "quotes" \\' }, { b: [{ c: {} }, []] }, { d: 'ü€😀' }];

test('entries are found in a file that comes whole, byte by byte, and split anywhere', () => {
  const bytes = Buffer.from(FILE);
  const parsed = (pieces: readonly Buffer[]): unknown[] =>
    entriesOf(pieces).texts.map((text) => JSON.parse(text) as unknown);
  expect(parsed([bytes])).toEqual(EXPECTED);
  expect(parsed([...bytes].map((byte) => Buffer.from([byte])))).toEqual(EXPECTED);
  for (let at = 1; at < bytes.length; at += 1) {
    expect(parsed([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(EXPECTED);
  }
});

test('white space of any kind may stand between', () => {
  const { texts } = entriesOf([Buffer.from(JSON.stringify(JSON.parse(FILE), null, '\t').replaceAll('\n', '\r\n'))]);
  expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(EXPECTED);
});

test('a file that ends early gives what stands before, and says that it was cut', () => {
  const { texts, splitter } = entriesOf([Buffer.from(FILE.slice(0, FILE.indexOf('"d"')))]);
  expect(texts).toHaveLength(2);
  expect(splitter.isCut).toBe(true);
});

test('what is no object of JSON is refused', () => {
  expect(() => entriesOf([Buffer.from('<html>')])).toThrow(ImportSyntaxError);
  expect(entriesOf([Buffer.from('{"log":{}}')]).splitter.foundEntries).toBe(false);
});
