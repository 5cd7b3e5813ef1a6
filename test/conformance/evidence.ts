import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What one test saw on each side of Weir. Texts are latin1 off the wire; null where nothing was to be seen. */
export interface Evidence {
  readonly test: string;
  readonly fromClient: string | null;
  readonly atOrigin: string | null;
  readonly fromOrigin: string | null;
  readonly atClient: string | null;
  /** Codes of the recorded error and anomalies. */
  readonly recorded: readonly string[];
}

/** Where a run leaves its evidence, one file a test file; `node test/conformance/table.ts` makes a page of it. */
export const EVIDENCE_FOLDER = join('test-results', 'conformance');

/** Where the matrix of legs leaves what each cell did in each case. */
export const MATRIX_FOLDER = join('test-results', 'matrix');

/** One case in one cell of the matrix. */
export interface MatrixCell {
  readonly cell: string;
  readonly case: string;
  /** Id of its row in that cell's capture. */
  readonly row: number;
  /** Digest of what the client got, equal to that of a direct run; or words. */
  readonly digest: string;
  /** Code of the recorded error. */
  readonly error: string | null;
}

export function writeEvidence(name: string, evidence: readonly Evidence[]): void {
  mkdirSync(EVIDENCE_FOLDER, { recursive: true });
  writeFileSync(join(EVIDENCE_FOLDER, `${name}.json`), JSON.stringify(evidence, null, 2));
}
