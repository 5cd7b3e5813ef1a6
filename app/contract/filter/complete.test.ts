import { expect, test } from 'vitest';
import { completeFilter } from './complete.ts';
import { parseFilter } from './parse.ts';

/** Applies a candidate at the bar that marks the cursor. */
function complete(marked: string, pick: string, hosts: readonly string[] = []): string {
  const cursor = marked.indexOf('|');
  const text = marked.replace('|', '');
  const { from, to, candidates } = completeFilter(text, cursor, { hosts });
  const chosen = candidates.find(({ insert }) => insert === pick);
  if (chosen === undefined) throw new Error(`Offered were ${candidates.map(({ insert }) => insert).join(' ')}`);
  return text.slice(0, from) + chosen.insert + text.slice(to);
}

function offered(marked: string, hosts: readonly string[] = []): string[] {
  const cursor = marked.indexOf('|');
  return completeFilter(marked.replace('|', ''), cursor, { hosts }).candidates.map(({ insert }) => insert);
}

test('an empty place offers the keys with what they mean', () => {
  expect(offered('|').slice(0, 4)).toEqual(['host:', 'method:', 'status:', 'type:']);
  expect(completeFilter('', 0).candidates[0]?.detail).toBe('host name contains');
  expect(offered('host:a |')).toContain('status:');
});

test('a begun word offers the keys that begin so, also after a minus sign', () => {
  expect(offered('ho|')).toEqual(['host:']);
  expect(complete('a -ho|', 'host:')).toBe('a -host:');
  expect(offered('zzz|')).toEqual([]);
});

test('a key offers its values, those that begin with the text first', () => {
  expect(offered('method:p|').slice(0, 3)).toEqual(['POST', 'PUT', 'PATCH']);
  expect(offered('error:timeout|')[0]).toBe('timeout.request-head');
  expect(offered('is:|')).toContain('websocket');
  expect(complete('is:web| host:x', 'websocket')).toBe('is:websocket host:x');
});

test('hosts of the session are offered for host:', () => {
  expect(offered('host:|', ['a.test', 'b.test'])).toEqual(['a.test', 'b.test']);
  expect(complete('-host:b|', 'b.test', ['a.test', 'b.test'])).toBe('-host:b.test');
});

test('inside of quotes of a bare word nothing is offered', () => {
  expect(offered('"ho|"')).toEqual([]);
});

test('the cursor in the key of a term offers keys for it', () => {
  expect(complete('ho|st:a', 'host:')).toBe('host:a');
});

test('whatever is offered is read without an error', () => {
  const keys = offered('|');
  for (const key of keys) {
    for (const value of offered(`${key}|`, ['a.test', 'with space'])) {
      expect([`${key}${value}`, parseFilter(`${key}${value}`).ok]).toEqual([`${key}${value}`, true]);
    }
  }
});
