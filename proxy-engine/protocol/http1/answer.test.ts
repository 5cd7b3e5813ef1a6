import { describe, expect, test } from 'vitest';
import { playResponses } from '../../../test/support/http1-transcript.ts';
import { reasonPhrase, writeAnswer } from './answer.ts';
import type { Answer } from './answer.ts';

const ANSWER: Answer = {
  status: 502,
  fields: [['Content-Type', 'text/plain']],
  body: Buffer.from('no'),
  requestMethod: 'GET',
  keepAlive: true,
  clientMinorVersion: 1,
};
const written = (changes: Partial<Answer>): string => writeAnswer({ ...ANSWER, ...changes }).toString('latin1');

describe('an answer of our own', () => {
  test('is a head with its length, and the body', () => {
    expect(written({})).toBe('HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno');
  });

  test('says how the connection goes on', () => {
    expect(written({ keepAlive: false })).toContain('\r\nConnection: close\r\n');
    expect(written({ clientMinorVersion: 0 })).toContain('\r\nConnection: keep-alive\r\n');
    expect(written({ clientMinorVersion: 0, keepAlive: false })).toContain('\r\nConnection: close\r\n');
  });

  test('to HEAD has the length but no body', () => {
    expect(written({ requestMethod: 'HEAD' })).toMatch(/Content-Length: 2\r\n\r\n$/);
  });

  test('of 204 has no length, of 2xx to CONNECT nothing but its fields', () => {
    expect(written({ status: 204 })).not.toContain('Content-Length');
    expect(written({ status: 200, requestMethod: 'CONNECT', fields: [] })).toBe('HTTP/1.1 200 OK\r\n\r\n');
  });

  test('cannot be split by what stands in a value', () => {
    const { heads, rest } = playResponses(
      [Buffer.from(written({ fields: [['X-Why', 'a\r\nSet-Cookie: b\0']] }), 'latin1')],
      { messages: 1 },
    );
    expect([heads[0]?.get('x-why'), heads[0]?.has('set-cookie'), rest]).toEqual(['a  Set-Cookie: b', false, '']);
  });

  test('has an empty phrase for a status that nobody registered', () => {
    expect([reasonPhrase(404), reasonPhrase(799)]).toEqual(['Not Found', '']);
    expect(written({ status: 799 })).toMatch(/^HTTP\/1.1 799 \r\n/);
  });
});
