import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MATRIX_FOLDER, type MatrixCell } from './evidence.ts';

// Makes docs/matrix.md of what the last run of the matrix saw: `node test/conformance/matrix-table.ts`.

const PAGE = join('docs', 'matrix.md');
/** Cells and cases that the page has to hold; fewer mean a run that was cut short. */
const FEWEST_CELLS = 38;

const seen = JSON.parse(readFileSync(join(MATRIX_FOLDER, 'matrix.json'), 'utf8')) as MatrixCell[];
const cells = [...new Set(seen.map(({ cell }) => cell))];
const cases = [...new Set(seen.map((each) => each.case))];
if (cells.length < FEWEST_CELLS) {
  console.error(`Only ${String(cells.length)} cells were run: run the whole of test/conformance/matrix.test.ts first.`);
  process.exit(1);
}

const lines = cells.map((cell) => {
  const results = cases.map((name) => {
    const found = seen.find((each) => each.cell === cell && each.case === name);
    if (found === undefined) return '–';
    return `${String(found.row)}: ${found.error ?? `\`${found.digest}\``}`;
  });
  return `| ${cell} | ${results.join(' | ')} |`;
});

writeFileSync(
  PAGE,
  `# Every protocol on both legs

Made by \`node test/conformance/matrix-table.ts\` from the last run of \`test/conformance/matrix.test.ts\`; do not edit. One line is
a pair of legs: what the client speaks and what its origin speaks, behind a reverse listener, inside CONNECT (asked for by
HTTP/1.1, by HTTP/2 without TLS, or by HTTP/2 over TLS) or by absolute requests. Each field is one case: the id of its row in
that pair's capture, and a digest of status, fields, trailers, informational responses and body as the client got them.
The test demands that the digest equals that of the same client asking the same kind of origin directly, that the row names on
both legs the protocol of its line, and where an exchange must fail, that it fails with the code that is shown. A dash is a case
that the pair has no such thing for: GOAWAY on a leg of HTTP/1.

| legs | ${cases.join(' | ')} |
|---|${'---|'.repeat(cases.length)}
${lines.join('\n')}
`,
);
console.log(`${PAGE}: ${String(cells.length)} pairs of legs, ${String(seen.length)} cases`);
