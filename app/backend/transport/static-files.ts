import { createReadStream, type ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A file of the built inspector, ready to be sent. */
export interface StaticFile {
  readonly contentType: string;
  readonly bytes: number;
  /** True when its name changes with its content, so that it can be kept for ever. */
  readonly immutable: boolean;
  stream(): ReadStream;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Finds a file of the built inspector. Only plain names below `folder` exist: every segment consists of letters, digits,
 * `-`, `_` and inner dots, so that no path, however it is encoded, leaves the folder.
 *
 * @param path path of the URL as sent, without its query
 * @returns null when there is none
 */
export async function findStaticFile(folder: string, path: string): Promise<StaticFile | null> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  const segments = name.split('/');
  if (!segments.every((segment) => /^[\w-][\w-]*(?:\.[\w-]+)*$/.test(segment))) return null;
  const contentType = CONTENT_TYPES[extname(name)];
  if (contentType === undefined) return null;
  const file = await open(join(folder, ...segments)).catch(() => null);
  if (file === null) return null;
  const facts = await file.stat();
  if (!facts.isFile()) {
    await file.close();
    return null;
  }
  return {
    contentType,
    bytes: facts.size,
    immutable: segments[0] === 'assets',
    stream: () => createReadStream('', { fd: file }),
  };
}
