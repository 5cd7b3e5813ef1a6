/** A short word about something that just happened; at most one button. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'plain' | 'error';
  readonly action: { readonly label: string; run(): void } | null;
}

const SHOWN_MILLISECONDS = 4_000;
const ERROR_SHOWN_MILLISECONDS = 10_000;

/** Messages at the lower edge of the window. */
export class Toasts {
  #shown = $state.raw<readonly Toast[]>([]);
  #nextId = 1;

  get shown(): readonly Toast[] {
    return this.#shown;
  }

  /** Shows `text` for four seconds (ten when it has a button). */
  say(text: string, action: Toast['action'] = null): void {
    this.#add(
      { id: this.#nextId++, text, tone: 'plain', action },
      action === null ? SHOWN_MILLISECONDS : ERROR_SHOWN_MILLISECONDS,
    );
  }

  /** Shows what went wrong: the message of an error of the contract is written for a person. */
  fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#add({ id: this.#nextId++, text, tone: 'error', action: null }, ERROR_SHOWN_MILLISECONDS);
  }

  dismiss(id: number): void {
    this.#shown = this.#shown.filter((toast) => toast.id !== id);
  }

  #add(toast: Toast, milliseconds: number): void {
    // The same words twice are one message.
    this.#shown = [...this.#shown.filter((other) => other.text !== toast.text), toast].slice(-3);
    setTimeout(() => {
      this.dismiss(toast.id);
    }, milliseconds);
  }
}
