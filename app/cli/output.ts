import { once } from 'node:events';

/**
 * Writes to standard output, byte for byte, and waits while its reader is slow. A reader that is gone (`weir list | head`)
 * ends the command quietly.
 */
export async function print(content: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(content)) await once(process.stdout, 'drain');
}

/**
 * Ends the process without a word once nobody reads standard output any more. Messages that nobody reads are lost and
 * nothing else is: a `serve` goes on.
 */
export function endWithReader(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' || error.code === 'EOF' ? 0 : 1);
  });
}

/** A line for the person who runs the command. */
export function tell(message: string): void {
  process.stderr.write(`weir: ${message}\n`);
}
