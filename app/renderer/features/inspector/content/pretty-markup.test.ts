import { expect, test } from 'vitest';
import { prettyCss, prettyXml } from './pretty-markup.ts';

test('machine-written XML gets a line for each element, text stays with its tags', () => {
  expect(prettyXml('<?xml version="1.0"?><a><b x="1">text</b><c/><d></d></a>')).toBe(
    ['<?xml version="1.0"?>', '<a>', '  <b x="1">text</b>', '  <c/>', '  <d></d>', '</a>'].join('\n'),
  );
});

test('XML that has lines is left as it is', () => {
  const text = '<a>\n <b/>\n</a>';
  expect(prettyXml(text)).toBe(text);
});

test('character data with brackets is not taken for elements', () => {
  expect(prettyXml('<a><![CDATA[<b>]]></a>')).toContain('<![CDATA[<b>]]>');
});

test('a minified style sheet gets a line for each declaration, and nothing but white space changes', () => {
  const css = `${':root{--a:#fff;--b:1px}@media (x){.c{content:"};{";background:url(data:a;b)}}'.repeat(6)}`;
  const pretty = prettyCss(css);
  expect(pretty).toContain(
    ':root {\n  --a:#fff;\n  --b:1px\n}\n@media (x) {\n  .c {\n    content:"};{";\n    background:url(data:a;b)\n  }\n}',
  );
  expect(pretty.replaceAll(/\s/g, '')).toBe(css.replaceAll(/\s/g, ''));
});

test('a readable style sheet is left as it is', () => {
  const css = 'a {\n  b: c;\n}\n';
  expect(prettyCss(css)).toBe(css);
});
