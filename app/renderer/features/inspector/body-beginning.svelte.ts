import type { ViewedBody } from './viewed-body.ts';

/** The first bytes of a body, for a view that needs them at once; read again when the body changes. */
export class BodyBeginning {
  #bytes = $state.raw<Uint8Array | null>(null);
  #problem = $state<string | null>(null);

  /** To be made while a component is set up. @param mostBytes further ones are not read */
  constructor(body: () => ViewedBody, mostBytes: number) {
    $effect(() => {
      const reading = new AbortController();
      const shown = body();
      void shown.first;
      shown
        .readUpTo(mostBytes, reading.signal)
        .then((bytes) => {
          this.#bytes = bytes;
        })
        .catch((error: unknown) => {
          if (!reading.signal.aborted) this.#problem = error instanceof Error ? error.message : String(error);
        });
      return () => {
        reading.abort();
      };
    });
  }

  /** Null until they were read. */
  get bytes(): Uint8Array | null {
    return this.#bytes;
  }

  /** Why they cannot be read. */
  get problem(): string | null {
    return this.#problem;
  }
}
