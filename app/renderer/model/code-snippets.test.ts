import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { which } from '../../../bench/products/which.ts';
import { fakeExchange } from '../../../test/support/fake-exchanges.ts';
import { codeSnippet, type CodeLanguage } from './code-snippets.ts';
import type { SnippetSource } from './snippets.ts';

/* Code is run, where its language is installed, against an origin that says what it received. */

const run = promisify(execFile);
/** Everything that a string of some language could misread. */
const AWKWARD = `'"$HOME \`id\` \\n \\\\ \\u0022 !x; #{1+1} \${1+1} %s %% {b} */ // , data=payload é 漢\nline\ttab\u0001`;
const FIELD = AWKWARD.replaceAll(/[^ -~]/g, '');

let folder: string;
let origin: Server;
let received: { readonly line: string; readonly fields: readonly string[]; readonly body: string }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-code-'));
  origin = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request;
      received.push({ line: `${method} ${url}`, fields: rawHeaders, body });
      response.end('ok');
    });
  });
  await new Promise<void>((listening) => origin.listen(0, '127.0.0.1', listening));
});

afterAll(() => {
  origin.close();
  rmSync(folder, { recursive: true });
});

function source(): SnippetSource {
  const { port } = origin.address() as AddressInfo;
  const place = { scheme: 'http', host: '127.0.0.1', port, path: '/a"b\u{1F600}?q=\\u0022);x(\\"&r=%20' } as const;
  return {
    summary: { ...fakeExchange(0, 1), ...place, method: 'PATCH' },
    request: {
      ...{ startLine: 'PATCH / HTTP/1.1', sent: null, trailers: [], bodyBytes: 0, storedBytes: 0 },
      ...{ contentEncoding: [], mediaType: null, charset: null },
      headers: [
        ['Host', 'x'],
        ['Content-Type', 'application/json; charset=utf-8'],
        ['X-Odd', FIELD],
        ['Cookie', 'a=b'],
        ['cookie', 'c="d"'],
      ],
    },
    body: AWKWARD,
  };
}

const JAVA = (code: string): string =>
  `import java.net.URI; import java.net.http.*; class Main { public static void main(String[] a) throws Exception { ${code} } }`;

interface Runner {
  readonly needs: readonly string[];
  readonly file: string;
  readonly wrap?: (code: string) => string;
}

const RUNNERS: Readonly<Record<CodeLanguage, Runner>> = {
  python: { needs: ['python3'], file: 'main.py' },
  go: { needs: ['go', 'run'], file: 'main.go' },
  java: { needs: ['java'], file: 'Main.java', wrap: JAVA },
};

function canRun(language: CodeLanguage): boolean {
  if (which(RUNNERS[language].needs[0] ?? '') === null) return false;
  try {
    if (language === 'python') execFileSync('python3', ['-c', 'import requests'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test.each(Object.keys(RUNNERS) as CodeLanguage[])(
  '%s makes the same request, whatever was captured',
  async (language) => {
    const { needs, file, wrap = (code: string): string => code } = RUNNERS[language];
    const code = wrap(codeSnippet(language, source()));
    expect(code).toMatch(/patch/i);
    if (!canRun(language)) {
      process.stderr.write(`\nNOT RUN: code in ${language}, which is not installed here.\n\n`);
      return;
    }
    const path = join(folder, file);
    writeFileSync(path, code);
    received = [];
    const [program = '', ...before] = needs;
    await run(program, [...before, path], { env: { ...process.env, HOME: folder, NO_PROXY: '*' } });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ line: 'PATCH /a%22b%F0%9F%98%80?q=%5Cu0022);x(%5C%22&r=%20', body: AWKWARD });
    const fields = received[0]?.fields ?? [];
    expect(fields[fields.findIndex((name) => /^x-odd$/i.test(name)) + 1]).toBe(FIELD);
    expect(fields[fields.findIndex((name) => /^cookie$/i.test(name)) + 1]).toBe('a=b; c="d"');
    expect(fields[fields.findIndex((name) => /^content-type$/i.test(name)) + 1]).toBe(
      'application/json; charset=utf-8',
    );
  },
);

test('a request without a body has none in code either', () => {
  const { summary, request } = source();
  const bare = { summary: { ...summary, method: 'GET' }, request: { ...request, headers: [] }, body: '' };
  expect(codeSnippet('go', bare)).toContain('http.NewRequest("GET", url, nil)');
  expect(codeSnippet('java', bare)).toContain('BodyPublishers.noBody()');
  expect(codeSnippet('python', bare)).toContain('response = requests.get(url)');
});

test('a body that is no text is refused with what to do', () => {
  expect(() => codeSnippet('go', { ...source(), body: null })).toThrow('cURL');
});
