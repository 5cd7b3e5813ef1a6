import { expect, test } from 'vitest';
import { prettyScript } from './pretty-script.ts';

/** Long enough to count as minified. */
const PAD = `/*${'x'.repeat(400)}*/`;
const laid = (script: string): string => prettyScript(PAD + script).slice(PAD.length);

test('statements and blocks get their lines', () => {
  expect(laid('function f(a){if(a){return 1}else{return 2}}f(1);var o={a:1,b:[1,2]};')).toBe(
    `function f(a) {
  if(a) {
    return 1
  } else {
    return 2
  }
}
f(1);
var o={
  a:1,
  b:[1,2]
};
`,
  );
});

test('what stands in strings, templates, comments and patterns is never broken', () => {
  const tokens = ['"a;{}\\""', "'b;}'", '`c${d;}\n`', '/[;/{]}/gi', '/*;{*/'];
  const text = laid(`x=${tokens.join(';x=')};a=b/c;d=e/f;`);
  for (const token of tokens) expect(text).toContain(token);
  expect(text).toContain('a=b/c;\nd=e/f;');
});

test('no token is lost, whatever the script', () => {
  const scripts = [
    'for(;;){a()}',
    '}}})',
    '{{{(',
    'a=>{b}',
    'x=/',
    '"unclosed',
    '`unclosed',
    'a?.b??c',
    '\u2028;',
    'if(a)/b/.test(c)',
  ];
  for (const script of scripts) {
    expect([script, laid(script).replaceAll(/\s/g, '')]).toEqual([script, script.replaceAll(/\s/g, '')]);
  }
});

test('a script with lines stays as its author laid it out', () => {
  const script = 'const a = 1;\n\n\nfunction b() { return a }\n';
  expect(prettyScript(script)).toBe(script);
});
