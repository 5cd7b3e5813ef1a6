import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVIDENCE_FOLDER } from './evidence.ts';
import type { Evidence } from './evidence.ts';

// Makes docs/conformance.md of what the last run of the conformance tests saw: `node test/conformance/table.ts`.

const PAGE = join('docs', 'conformance.md');
const LONGEST_SHOWN = 300;

const evidence = readdirSync(EVIDENCE_FOLDER)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => JSON.parse(readFileSync(join(EVIDENCE_FOLDER, name), 'utf8')) as Evidence[]);
const byRule = Map.groupBy(evidence, ({ test }) => test.slice('rule '.length, 'rule 00'.length));
const rules = [...byRule.keys()].sort();

const wanted = [...numbers(1, 17), ...numbers(20, 27), ...numbers(30, 32), ...numbers(40, 44)];
const missing = wanted.filter((rule) => !byRule.has(rule));
if (missing.length > 0) {
  console.error(
    `No evidence for rules ${missing.join(' ')}: run the whole project first (vitest run --project conformance).`,
  );
  process.exit(1);
}

const sections = rules.map((rule) => {
  const rows = (byRule.get(rule) ?? []).map((seen) => {
    const cells = [
      plain(seen.test.slice('rule 00: '.length)),
      shown(seen.fromClient),
      shown(seen.atOrigin),
      shown(seen.fromOrigin),
      shown(seen.atClient),
      seen.recorded.join(', ') || '–',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return `## Rule ${rule}

| test | from client | at origin | from origin | at client | recorded |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
});

writeFileSync(
  PAGE,
  `# Conformance

Made by \`node test/conformance/table.ts\` from the last run of \`vitest run --project conformance\`; do not edit. Each row is
one conversation through a running engine, byte by byte: what the client sent, what reached the origin, what the origin
answered, what came back, and the codes that were recorded. A dash is nothing, \`ORIGIN\` stands for the origin's host and
port, and what is not bytes stands in parentheses. The rules are those of docs/protocols.md. Suites that others wrote are in
[outside-suites.md](outside-suites.md).

${sections.join('\n')}`,
);
console.log(`${PAGE}: ${String(evidence.length)} conversations, rules ${rules.join(' ')}`);

function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_unused, index) => String(first + index).padStart(2, '0'));
}

/** Bytes as a code span in a table cell: escaped, and cut in the middle when there are many. */
function shown(bytes: string | null): string {
  if (bytes === null) return '–';
  if (bytes === '') return '(nothing)';
  const escaped = Array.from(bytes, visible).join('').replaceAll('|', '\\|');
  const cut =
    escaped.length <= LONGEST_SHOWN
      ? escaped
      : `${escaped.slice(0, LONGEST_SHOWN - 60)} … ${escaped.slice(-40)} (${String(bytes.length)} bytes)`;
  return cut.includes('`') ? `\`\` ${cut} \`\`` : `\`${cut}\``;
}

function visible(character: string): string {
  const byte = character.charCodeAt(0);
  if (character === '\r') return '\\r';
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return byte < 0x20 || (byte > 0x7e && byte <= 0xff) ? `\\x${byte.toString(16).padStart(2, '0')}` : character;
}

/** Text that Markdown takes for text. */
function plain(text: string): string {
  return text.replace(/[|*_`~[\]\\<]/g, '\\$&');
}
