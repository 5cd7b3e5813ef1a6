/** How a browser is told of proxy and trust. */
export type BrowserFamily = 'chromium' | 'firefox';

/** A browser that may be here. */
export interface BrowserCandidate {
  readonly name: string;
  readonly family: BrowserFamily;
  /** Absolute path of its program. */
  readonly path: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What decides where browsers are looked for and how they start; handed in so that every platform is tested on one. */
export interface BrowserSurroundings {
  /** As `process.platform`. */
  readonly platform: string;
  readonly environment: Environment;
  /** The user's home folder. */
  readonly home: string;
}

/** Name of the snap that a path starts, else null: on some systems snaps lie below another folder than `/snap`. */
export function snapOf(path: string): string | null {
  return /\/snap\/bin\/([^/.]+)$/.exec(path)?.[1] ?? null;
}

export type BrowserErrorCode =
  /** None was found, or the named one does not exist. */
  | 'no-browser'
  /** No display to show a window on. */
  | 'no-display'
  /** The program did not start, or ended at once. */
  | 'not-started';

/** A browser cannot be opened; the message says what to do. */
export class BrowserError extends Error {
  override readonly name = 'BrowserError';
  readonly code: BrowserErrorCode;

  constructor(code: BrowserErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
