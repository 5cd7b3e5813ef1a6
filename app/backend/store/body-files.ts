import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writevSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExchangeId, MessageSide } from '#contract';
import { codeOf } from './store-error.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER, type RunKind, type StoreFolder } from './store-folder.ts';

/** A finished file of the bodies folder. */
export interface SegmentFile {
  /** SHA-256 of the content. */
  readonly hash: Buffer;
  readonly bytes: number;
}

/** The largest vector that one system call takes everywhere. */
const MOST_BUFFERS = 512;
const PROBE_BYTES = 262_144;
const COPY_BYTES = 1_048_576;

/** A file that grows while its bytes come, and becomes a segment at the end. */
export class SpoolFile {
  readonly #folder: StoreFolder;
  readonly #path: string;
  readonly #fd: number;
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;

  /** @throws of `node:fs` */
  constructor(folder: StoreFolder, id: ExchangeId, side: MessageSide, kind: RunKind) {
    this.#folder = folder;
    this.#path = folder.spoolFile(id, side, kind);
    this.#fd = openSync(this.#path, 'w+', PRIVATE_FILE);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Appends. After a failure the file holds what whole earlier calls appended.
   * @throws of `node:fs`
   */
  append(buffers: readonly Buffer[]): void {
    for (let at = 0; at < buffers.length; at += MOST_BUFFERS) {
      const some = buffers.slice(at, at + MOST_BUFFERS);
      writeAll(this.#fd, some, this.#bytes);
      for (const buffer of some) {
        this.#hash.update(buffer);
        this.#bytes += buffer.length;
      }
    }
  }

  /** Content, for a run that turned out short. @throws of `node:fs` */
  read(): Buffer {
    const content = Buffer.allocUnsafe(this.#bytes);
    const got = readSync(this.#fd, content, 0, this.#bytes, 0);
    return content.subarray(0, got);
  }

  discard(): void {
    closeSync(this.#fd);
    unlinkQuietly(this.#path);
  }

  /** Moves the content to its place among the segments; an equal one that is there already is kept instead. @throws of `node:fs` */
  finish(): SegmentFile {
    ftruncateSync(this.#fd, this.#bytes);
    closeSync(this.#fd);
    const segment = { hash: this.#hash.digest(), bytes: this.#bytes };
    moveToSegments(this.#folder, this.#path, segment);
    return segment;
  }
}

/** Hashes whole content that is in memory and looks whether it is stored already, before anything is written. */
export function storeSegment(
  folder: StoreFolder,
  owner: { readonly id: ExchangeId; readonly side: MessageSide; readonly kind: RunKind },
  buffers: readonly Buffer[],
): SegmentFile {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const buffer of buffers) {
    hash.update(buffer);
    bytes += buffer.length;
  }
  const segment = { hash: hash.digest(), bytes };
  if (hasSegment(folder, segment)) return segment;
  const path = folder.spoolFile(owner.id, owner.side, owner.kind);
  const fd = openSync(path, 'w', PRIVATE_FILE);
  try {
    let at = 0;
    for (let index = 0; index < buffers.length; index += MOST_BUFFERS) {
      const some = buffers.slice(index, index + MOST_BUFFERS);
      writeAll(fd, some, at);
      for (const buffer of some) at += buffer.length;
    }
  } catch (error: unknown) {
    closeSync(fd);
    unlinkQuietly(path);
    throw error;
  }
  closeSync(fd);
  moveToSegments(folder, path, segment);
  return segment;
}

/** Makes a segment of a spool file that a crash left behind. @throws of `node:fs` */
export function rescueSpool(folder: StoreFolder, path: string): SegmentFile {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(COPY_BYTES);
  const fd = openSync(path, 'r');
  let bytes = 0;
  try {
    for (;;) {
      const got = readSync(fd, piece, 0, piece.length, bytes);
      if (got === 0) break;
      hash.update(piece.subarray(0, got));
      bytes += got;
    }
  } finally {
    closeSync(fd);
  }
  const segment = { hash: hash.digest(), bytes };
  moveToSegments(folder, path, segment);
  return segment;
}

/** Finds out whether files can be written again. @throws of `node:fs` */
export function probeSpool(folder: StoreFolder): void {
  const path = join(folder.spool, 'probe');
  try {
    writeFileSync(path, Buffer.alloc(PROBE_BYTES), { mode: PRIVATE_FILE });
  } finally {
    unlinkQuietly(path);
  }
}

/** Paths of every segment file. */
export function* listSegmentFiles(folder: StoreFolder): Generator<{ path: string; hash: Buffer }> {
  for (const group of readdirSync(folder.bodies)) {
    if (!/^[0-9a-f]{2}$/.test(group)) continue;
    for (const name of readdirSync(join(folder.bodies, group))) {
      if (/^[0-9a-f]{62}$/.test(name)) {
        yield { path: join(folder.bodies, group, name), hash: Buffer.from(`${group}${name}`, 'hex') };
      }
    }
  }
}

/** Deletes a file that may be gone already. @throws of `node:fs` for any other reason */
export function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error: unknown) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function hasSegment(folder: StoreFolder, segment: SegmentFile): boolean {
  const path = folder.segment(segment.hash);
  return existsSync(path) && statSync(path).size === segment.bytes;
}

function moveToSegments(folder: StoreFolder, path: string, segment: SegmentFile): void {
  if (hasSegment(folder, segment)) {
    unlinkQuietly(path);
    return;
  }
  const target = folder.segment(segment.hash);
  mkdirSync(dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
  renameSync(path, target);
}

function writeAll(fd: number, buffers: readonly Buffer[], position: number): void {
  let left = buffers;
  let at = position;
  while (left.length > 0) {
    let written = writevSync(fd, left, at);
    at += written;
    // A write may stop anywhere; go on after what it took.
    let index = 0;
    while (index < left.length) {
      const length = left[index]?.length ?? 0;
      if (written < length) break;
      written -= length;
      index += 1;
    }
    const first = left[index];
    if (first === undefined) return;
    left = [first.subarray(written), ...left.slice(index + 1)];
  }
}
