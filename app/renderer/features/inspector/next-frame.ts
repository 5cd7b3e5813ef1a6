/**
 * Runs work once the frame that is being prepared has been drawn, so that it does not make that frame late. A page that is hidden draws
 * no frames: its work waits only for a moment.
 */
export class NextFrame {
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** Something waits to be run. */
  get waiting(): boolean {
    return this.#timer !== null;
  }

  /** @param work looks itself at what is wanted by then: while some waits, more is not taken */
  run(work: () => void): void {
    if (this.waiting) return;
    const begin = (): void => {
      this.cancel();
      work();
    };
    this.#timer = setTimeout(begin, HIDDEN_MILLISECONDS);
    // A frame's own callbacks still come before it is drawn; a task after them does not.
    this.#frame = requestAnimationFrame(() => {
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = setTimeout(begin, 0);
    });
  }

  cancel(): void {
    cancelAnimationFrame(this.#frame);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** Without a frame by then there is none to wait for. */
const HIDDEN_MILLISECONDS = 100;
