import { createGunzip, type Gunzip } from 'node:zlib';

/** Undoes gzip on the way, where a file is packed with it, and passes anything else as it is. */
export class Unpacking {
  readonly #take: (bytes: Buffer) => Promise<void>;
  readonly #gunzip: Gunzip | null;
  readonly #taken: Promise<string | null>;

  /**
   * @param begin the first bytes of the file
   * @param take is awaited before more is unpacked, so that a bomb fills nothing
   */
  constructor(begin: Buffer, take: (bytes: Buffer) => Promise<void>) {
    this.#take = take;
    this.#gunzip = begin[0] === 0x1f && begin[1] === 0x8b ? createGunzip() : null;
    this.#taken = this.#gunzip === null ? Promise.resolve(null) : this.#drain(this.#gunzip);
  }

  /** Resolves when these bytes are taken, or when the packing turned out to be damaged. */
  async write(bytes: Buffer): Promise<void> {
    const gunzip = this.#gunzip;
    if (gunzip === null) await this.#take(bytes);
    else if (!gunzip.destroyed) {
      const written = new Promise<void>((resolve) => {
        gunzip.write(bytes, () => {
          resolve();
        });
      });
      await Promise.race([written, this.#taken]);
    }
  }

  /** Everything was written. @returns what is wrong with the packing, for a person; null when nothing is */
  end(): Promise<string | null> {
    if (this.#gunzip?.destroyed === false) this.#gunzip.end();
    return this.#taken;
  }

  async #drain(gunzip: Gunzip): Promise<string | null> {
    try {
      for await (const bytes of gunzip) await this.#take(bytes as Buffer);
      return null;
    } catch (error: unknown) {
      const reason = error instanceof Error ? error.message : String(error);
      return `The file is packed with gzip and damaged or cut (${reason}); what stands before was read.`;
    }
  }
}
