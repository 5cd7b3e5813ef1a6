/** Resolves when this process is asked to end; a second request ends it at once. */
export interface ExitSignal {
  readonly requested: Promise<void>;
  /** Aborted by the same request. */
  readonly signal: AbortSignal;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens for SIGINT, SIGTERM and SIGHUP, and for the end of the process that started this one when the two share a
 * channel.
 */
export function listenForExit(): ExitSignal {
  const controller = new AbortController();
  const requested = new Promise<void>((resolve) => {
    let asked = false;
    const onRequest = (): void => {
      // Impatience: the data folder survives this, what is still in memory does not.
      if (asked) process.exit(1);
      asked = true;
      controller.abort();
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, onRequest);
    process.once('disconnect', onRequest);
    process.channel?.unref();
  });
  return { requested, signal: controller.signal };
}
