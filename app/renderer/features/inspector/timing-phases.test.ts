import { expect, test } from 'vitest';
import { phasesOf } from './timing-phases.ts';

const NONE = { dns: null, connect: null, tls: null, sent: null, firstByte: null, end: null };

test('a new connection has six phases that follow each other', () => {
  const phases = phasesOf({ dns: 2, connect: 5, tls: 31, sent: 32, firstByte: 90, end: 99 }, null);
  expect(phases.map(({ name, duration }) => [name, duration])).toEqual([
    ['dns', 2],
    ['connect', 3],
    ['tls', 26],
    ['send', 1],
    ['wait', 58],
    ['receive', 9],
  ]);
  expect(phases.map(({ from }) => from)).toEqual([0, 2, 5, 31, 32, 90]);
});

test('a reused connection begins with sending', () => {
  expect(phasesOf({ ...NONE, sent: 2, firstByte: 60, end: 69 }, null).map(({ name }) => name)).toEqual([
    'send',
    'wait',
    'receive',
  ]);
});

test('the time until a failure belongs to the phase that failed', () => {
  const error = { code: 'connect.refused', side: 'origin', phase: 'connect', message: '' } as const;
  expect(phasesOf({ ...NONE, dns: 2, end: 9 }, error)).toEqual([
    { name: 'dns', from: 0, duration: 2 },
    { name: 'connect', from: 2, duration: 7 },
  ]);
});

test('an answer that began before the request was written takes no time from it', () => {
  expect(phasesOf({ ...NONE, sent: 50, firstByte: 20, end: 60 }, null)).toEqual([
    { name: 'send', from: 0, duration: 50 },
    { name: 'wait', from: 50, duration: 0 },
    { name: 'receive', from: 50, duration: 10 },
  ]);
});

test('nothing has happened yet', () => {
  expect(phasesOf(NONE, null)).toEqual([]);
});
