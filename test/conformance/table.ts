import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { EVIDENCE_FOLDER } from './evidence.ts';
import type { Evidence } from './evidence.ts';

// Makes docs/conformance.md of what the last run of the conformance tests saw: `node test/conformance/table.ts`.

const PAGE = join('docs', 'conformance.md');
const LONGEST_SHOWN = 320;

const evidence = readdirSync(EVIDENCE_FOLDER)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => JSON.parse(readFileSync(join(EVIDENCE_FOLDER, name), 'utf8')) as Evidence[]);

const rows = evidence
  .map((seen) => ({ rule: seen.test.slice('rule '.length, 'rule 00'.length), seen }))
  .sort((one, other) => one.rule.localeCompare(other.rule))
  .map(({ rule, seen }) =>
    [
      rule,
      escapeCell(seen.test.slice('rule 00: '.length)),
      shown(seen.fromClient),
      shown(seen.atOrigin),
      shown(seen.fromOrigin),
      shown(seen.atClient),
      seen.recorded.join(', ') || '–',
    ].join(' | '),
  );

const text = `# Conformance

Made by \`node test/conformance/table.ts\` from the last run of \`vitest run --project conformance\`; do not edit. Each row is
one conversation through a running engine, byte by byte: what the client sent, what reached the origin (– is nothing), what
the origin answered, what came back, and the codes that were recorded. \`ORIGIN\` stands for the origin's host and port. Rules
are those of docs/protocols.md.

| rule | test | from client | at origin | from origin | at client | recorded |
|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`;
writeFileSync(PAGE, await format(text, { ...(await resolveConfig(PAGE)), parser: 'markdown' }));
console.log(`${PAGE}: ${String(rows.length)} conversations`);

/** Bytes as one table cell: escaped, and cut in the middle when there are many. */
function shown(bytes: string | null): string {
  if (bytes === null) return '–';
  if (bytes === '') return '(nothing)';
  const escaped = Array.from(bytes, visible).join('');
  const cut =
    escaped.length <= LONGEST_SHOWN
      ? escaped
      : `${escaped.slice(0, LONGEST_SHOWN - 60)} … ${escaped.slice(-40)} (${String(bytes.length)} bytes)`;
  return `<code>${escapeCell(cut)}</code>`;
}

function visible(character: string): string {
  const byte = character.charCodeAt(0);
  if (character === '\r') return '\\r';
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return byte < 0x20 || byte > 0x7e ? `\\x${byte.toString(16).padStart(2, '0')}` : character;
}

/** Escapes what Markdown would take for its own. */
function escapeCell(text: string): string {
  return text.replace(/[&<>|*_`~[\]\\]/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
