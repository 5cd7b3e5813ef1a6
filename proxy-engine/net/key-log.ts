import { createWriteStream, type WriteStream } from 'node:fs';
import type { TLSSocket } from 'node:tls';

/**
 * Appends the secrets of TLS connections to a file in the NSS key log format, so that packet captures can be read. A file
 * that cannot be written is nobody's business but its reader's: traffic goes on.
 */
export class KeyLog {
  readonly #file: WriteStream;

  constructor(path: string) {
    this.#file = createWriteStream(path, { flags: 'a', mode: 0o600 });
    this.#file.on('error', () => undefined);
  }

  follow(socket: TLSSocket): void {
    socket.on('keylog', (line: Buffer) => {
      this.#file.write(line);
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#file.end(() => {
        resolve();
      });
    });
  }
}
