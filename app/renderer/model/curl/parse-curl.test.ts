import { describe, expect, test } from 'vitest';
import { CurlSyntaxError, parseCurl } from './parse-curl.ts';

const body = (command: string): string => new TextDecoder().decode(parseCurl(command).body);

describe('quoting', () => {
  test.each([
    ['single quotes', String.raw`curl http://a/ -d 'it'\''s "x" $HOME'`, `it's "x" $HOME`],
    ['double quotes', String.raw`curl http://a/ -d "say \"hi\" \$5 \n"`, String.raw`say "hi" $5 \n`],
    ['the quotes of bash', String.raw`curl http://a/ -d $'a\nb\t\'c\' \\ \u00e9 \x41 \101'`, `a\nb\t'c' \\ é A A`],
    ['no quotes', String.raw`curl http://a/ -d a\ b`, 'a b'],
    ['lines that go on', "curl http://a/ \\\n  -X PUT \\\r\n  -d 'x'", 'x'],
    ['the carets of cmd.exe', 'curl ^"http://a/^" ^\n  --data-raw ^"^{^\\^"a^\\^":1^}^"', '{"a":1}'],
    ['the backticks of PowerShell', "curl http://a/ `\n  -d 'x'", 'x'],
    ['quotes that touch', `curl http://a/ -d a'b'"c"$'d'`, 'abcd'],
    ['an empty word', `curl http://a/ -d ''`, ''],
  ])('%s', (_name, command, expected) => {
    expect(body(command)).toBe(expected);
  });

  test('bytes that are no text stay bytes', () => {
    expect([...parseCurl(String.raw`curl http://a/ --data-binary $'\xff\x00\xfe'`).body]).toEqual([255, 0, 254]);
  });

  test.each([
    ['no command', 'wget http://a/', 'does not begin with curl'],
    ['an open quote', "curl 'http://a/", 'never closed'],
    ['no URL', 'curl -v', 'no URL'],
    ['a value that is missing', 'curl http://a/ -H', 'wants a value'],
    ['another scheme', 'curl ftp://a/', 'no http or https URL'],
    ['an option that does not exist', 'curl --mystery http://a/', '--mystery'],
  ])('%s is refused with a reason', (_name, command, reason) => {
    expect(() => parseCurl(command)).toThrow(CurlSyntaxError);
    expect(() => parseCurl(command)).toThrow(reason);
  });
});

describe('options', () => {
  test('a method, a URL and header fields in their order and case', () => {
    expect(
      parseCurl(`curl -XPATCH 'https://a.test/p?q=1' -H 'X-One: 1' --header 'x-ONE:2' -H 'Empty;' -H 'Gone:'`),
    ).toMatchObject({
      method: 'PATCH',
      url: 'https://a.test/p?q=1',
      headers: [
        ['X-One', '1'],
        ['x-ONE', '2'],
        ['Empty', ''],
      ],
      notes: [],
    });
  });

  test('data makes a POST of a form, and pieces of it are joined', () => {
    const request = parseCurl(`curl a.test -d x=1 --data-raw 'y=2' --data-urlencode 'z=a b&c'`);
    expect(request).toMatchObject({ method: 'POST', url: 'http://a.test' });
    expect(new TextDecoder().decode(request.body)).toBe('x=1&y=2&z=a%20b%26c');
    expect(request.headers).toEqual([['Content-Type', 'application/x-www-form-urlencoded']]);
  });

  test('-G puts data into the query', () => {
    expect(parseCurl('curl -G http://a/p?x=1 -d y=2 -d z=3')).toMatchObject({
      method: 'GET',
      url: 'http://a/p?x=1&y=2&z=3',
    });
  });

  test('--json names its types, unless they are named', () => {
    expect(parseCurl(`curl --json '{"a":1}' http://a/`).headers).toEqual([
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
    ]);
    expect(parseCurl(`curl --json '{}' -H 'Accept: text/x' -H 'Content-Type:' http://a/`).headers).toEqual([
      ['Accept', 'text/x'],
    ]);
  });

  test('-F makes a multipart body', () => {
    const request = parseCurl(
      `curl http://a/ -F name=Ada -F 'note=hi;type=text/plain' --form-string 's=@x;y' -F 'file=@dir/photo.png'`,
    );
    const text = new TextDecoder().decode(request.body);
    expect(text).toContain('name="name"\r\n\r\nAda\r\n');
    expect(text).toContain('name="note"\r\nContent-Type: text/plain\r\n\r\nhi\r\n');
    expect(text).toContain('name="s"\r\n\r\n@x;y\r\n');
    expect(text).toContain('filename="photo.png"');
    expect(request.headers[0]?.[1]).toMatch(/^multipart\/form-data; boundary=/);
    expect(request.notes).toEqual(['The part file is the file dir/photo.png; paste its contents.']);
  });

  test('credentials, cookies, agents and the rest become fields', () => {
    const { headers } = parseCurl(`curl http://a/ -u ada:pass -b 'a=1; b=2' -A agent -e http://b/ -r 0-9 --compressed`);
    expect(headers).toEqual([
      ['Authorization', `Basic ${btoa('ada:pass')}`],
      ['Cookie', 'a=1; b=2'],
      ['User-Agent', 'agent'],
      ['Referer', 'http://b/'],
      ['Range', 'bytes=0-9'],
      ['Accept-Encoding', 'deflate, gzip, br, zstd'],
    ]);
  });

  test('flags in one word, versions, redirects and HEAD', () => {
    expect(parseCurl('curl -sSLkI --http2 http://a/')).toMatchObject({
      method: 'HEAD',
      version: 'h2',
      followRedirects: true,
    });
    expect(parseCurl('curl --http1.1 http://a/').version).toBe('http/1.1');
  });

  test('what says nothing about the request is left out and told', () => {
    expect(parseCurl('curl http://a/ -o out.bin --proxy http://p:1 -d @file http://b/').notes).toEqual([
      '-o out.bin says nothing about the request and was left out.',
      '--proxy http://p:1 says nothing about the request and was left out.',
      'The body is in the file file; paste it here.',
      'Only the first URL was taken; left out: http://b/.',
    ]);
  });
});
