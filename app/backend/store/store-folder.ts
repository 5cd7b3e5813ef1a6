import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { ExchangeId, MessageSide } from '#contract';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** What a run of stored bytes is: a body, the transfer framing around it, or the payloads of its messages as they are read. */
export type RunKind = 'body' | 'framing' | 'messages';

/** Where the store keeps what. Nothing captured ever becomes part of a path. */
export class StoreFolder {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  get database(): string {
    return join(this.root, 'weir.db');
  }

  /** The full-text index; it can be deleted and made again at any time. */
  get search(): string {
    return join(this.root, 'search.db');
  }

  /** Finished bodies over 16 KiB, in 256 folders by the first byte of their SHA-256. */
  get bodies(): string {
    return join(this.root, 'bodies');
  }

  /** Bodies that are still coming. */
  get spool(): string {
    return join(this.root, 'spool');
  }

  segment(hash: Uint8Array): string {
    const hex = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex');
    return join(this.bodies, hex.slice(0, 2), hex.slice(2));
  }

  /** A spool file carries in its name whose bytes it holds, so that a crash does not orphan them. */
  spoolFile(id: ExchangeId, side: MessageSide, kind: RunKind): string {
    return join(this.spool, `${String(id)}-${side}-${kind}`);
  }

  /**
   * Makes what is missing, for the user alone.
   * @throws of `node:fs` when that is not possible
   */
  make(): void {
    for (const folder of [this.root, this.bodies, this.spool]) {
      mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
      chmodSync(folder, PRIVATE_FOLDER);
    }
    // SQLite gives its side files the mode of the database, so that one must be right from the first byte.
    closeSync(openSync(this.database, 'a', PRIVATE_FILE));
    chmodSync(this.database, PRIVATE_FILE);
  }
}

/** Whose bytes a spool file holds; null for a foreign file. */
export function parseSpoolName(name: string): { id: ExchangeId; side: MessageSide; kind: RunKind } | null {
  const match = /^(\d{1,15})-(request|response)-(body|framing|messages)$/.exec(name);
  if (match === null) return null;
  return { id: Number(match[1]), side: match[2] as MessageSide, kind: match[3] as RunKind };
}
