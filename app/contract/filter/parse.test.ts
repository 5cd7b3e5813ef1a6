import { describe, expect, test } from 'vitest';
import type { FilterNode } from './ast.ts';
import { parseFilter } from './parse.ts';

describe('a filter is read as', () => {
  test.each([
    ['', 'everything'],
    ['   ', 'everything'],
    ['word', 'any=word'],
    ['two words', '(any=two and any=words)'],
    ['a and b', '(any=a and any=b)'],
    ['a or b c', '(any=a or (any=b and any=c))'],
    ['(a or b) c', '((any=a or any=b) and any=c)'],
    ['not a b', '(not any=a and any=b)'],
    ['not (a b)', 'not (any=a and any=b)'],
    ['-(a b)', 'not (any=a and any=b)'],
    ['-a', 'not any=a'],
    ['not -a', 'not not any=a'],
    ['a AND b Or NOT c', '((any=a and any=b) or not any=c)'],
    ['"and" "a b"', '(any=and and any=a b)'],
    ['"say \\"hi\\" \\\\ there"', 'any=say "hi" \\ there'],
    ['host:api.example.com', 'host=api.example.com'],
    ['HOST:x', 'host=x'],
    ['-host:cdn', 'not host=cdn'],
    ['host:"a b"c', 'host=a bc'],
    ['method:post', 'method=post'],
    ['method:POST', 'method=post'],
    ['type:json', 'type=json'],
    ['header:x-id=7', 'header x-id contains 7'],
    ['header:X-Id', 'header x-id'],
    ['header:"x-note=a b"', 'header x-note contains a b'],
    ['header:cookie=a=b', 'header cookie contains a=b'],
    ['body:"out of stock"', 'body=out of stock'],
    ['model:gpt-4o finish:length', '(model=gpt-4o and finish=length)'],
    ['is:websocket has:error', '(is websocket and has error)'],
    ['http://a.test/x?y=1', 'any=http://a.test/x?y=1'],
    ['localhost:8080', 'any=localhost:8080'],
    ['-', 'any=-'],
    ['ünï', 'any=ünï'],
  ])('%s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ['status:404', 'status 404..404'],
    ['status:=404', 'status 404..404'],
    ['status:>=400', 'status 400..Infinity'],
    ['status:>400', 'status 401..Infinity'],
    ['status:<400', 'status 0..399'],
    ['status:4xx', 'status 400..499'],
    ['status:5XX', 'status 500..599'],
    ['status:200..299', 'status 200..299'],
    ['status:200-299', 'status 200..299'],
    ['size:>1mb', 'size 1000001..Infinity'],
    ['size:>=1MiB', 'size 1048576..Infinity'],
    ['size:<1.5kb', 'size 0..1499'],
    ['size:10kb..20kb', 'size 10000..20000'],
    ['size:0', 'size 0..0'],
    ['dur:>1s', 'dur 1000001..Infinity'],
    ['dur:250', 'dur 250000..250000'],
    ['dur:<=1.5ms', 'dur 0..1500'],
    ['label:Green', 'label 4'],
    ['label:6', 'label 6'],
    ['dur:>2m', 'dur 120000001..Infinity'],
    ['port:8000..8999', 'port 8000..8999'],
    ['tokens:>1000', 'tokens 1001..Infinity'],
    ['tokens:1k..1.5k', 'tokens 1000..1500'],
    ['ttft:>2s', 'ttft 2000001..Infinity'],
  ])('%s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });
});

describe('an error points at its place:', () => {
  test.each([
    ['host:a (b', 'This parenthesis is never closed.', '('],
    ['a) b', 'This parenthesis was never opened.', ')'],
    ['( )', 'Something to look for must stand before this parenthesis.', ')'],
    ['a or', 'Something to look for must follow here.', ''],
    ['a and or b', 'Something to look for must stand before “or”. To search for the word, quote it.', 'or'],
    ['not', 'Something to look for must follow here.', ''],
    ['a host:"b c', 'This quotation mark is never closed.', '"b c'],
    ['a hots:b', 'There is no key hots:. Did you mean host:?', 'hots:'],
    ['staus:404', 'There is no key staus:. Did you mean status:?', 'staus:'],
    ['meth:get', 'There is no key meth:. Did you mean method:?', 'meth:'],
    ['zzz:b', 'There is no key zzz:. To search for the text itself, put it in quotation marks.', 'zzz:'],
    ['host:', 'Something must follow host: (host name contains).', 'host:'],
    ['status:abc', 'This is no status. Write status:404, status:4xx, status:>=400 or status:200..299.', 'abc'],
    ['x size:1parsec', 'This is no size. Write size:>1mb or size:10kb..20kb.', '1parsec'],
    ['tokens:many', 'This is no number of tokens. Write tokens:>1000 or tokens:1k..8k.', 'many'],
    ['dur:9..1', 'The range ends before it begins.', '9..1'],
    ['is:blue', /^is: knows http, websocket, /, 'blue'],
    ['has:luck', /^has: knows error, anomaly, /, 'luck'],
    ['header:=x', 'A header name must stand before the equals sign.', '=x'],
    ['""', 'Empty quotation marks look for nothing.', '""'],
    ['-rule:"my mock"', 'Rules do not exist in this version, so no exchange can be found by one.', 'rule:'],
    ['label:pink', 'label: knows red, orange, yellow, green, blue, violet and 1 to 6.', 'pink'],
  ])('%s', (text, message, at) => {
    const parsed = parseFilter(text);
    if (parsed.ok) throw new Error('It was read.');
    const { error } = parsed;

    if (typeof message === 'string') expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
    expect(text.slice(error.position, error.end)).toBe(at);
  });

  test('nesting that would exhaust the stack', () => {
    const parsed = parseFilter(`${'('.repeat(4_000)}a${')'.repeat(4_000)}`);

    expect(parsed).toMatchObject({ ok: false, error: { message: expect.stringMatching(/nested 50 deep/) as string } });
  });
});

function read(text: string): string {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.node === null ? 'everything' : show(parsed.node);
}

function show(node: FilterNode): string {
  switch (node.kind) {
    case 'and':
    case 'or':
      return `(${node.nodes.map(show).join(` ${node.kind} `)})`;
    case 'not':
      return `not ${show(node.node)}`;
    case 'term': {
      const { term } = node;
      if ('flag' in term) return `${term.key} ${term.flag}`;
      if (term.key === 'label') return `label ${String(term.label)}`;
      if ('least' in term) return `${term.key} ${String(term.least)}..${String(term.most)}`;
      if (term.key === 'header') return `header ${term.name}${term.value === null ? '' : ` contains ${term.value}`}`;
      return `${term.key}=${term.text}`;
    }
  }
}
