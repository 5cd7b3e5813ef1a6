import { readFileSync } from 'node:fs';
import { CommandError } from './usage.ts';

/**
 * Reads PEM files of certificates.
 *
 * @throws CommandError when one cannot be read or holds none
 */
export function readCertificateFiles(option: string, paths: readonly string[]): string[] {
  return paths.map((path) => {
    const text = readTextFile(option, path);
    if (!text.includes('-----BEGIN CERTIFICATE-----')) {
      throw new CommandError(`${option} ${path}: there is no PEM certificate in this file.`);
    }
    return text;
  });
}

/** @throws CommandError when it cannot be read */
export function readTextFile(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error: unknown) {
    throw new CommandError(`${option} ${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
