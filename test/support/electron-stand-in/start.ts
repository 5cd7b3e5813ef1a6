// Loaded before the built main: `electron` means the stand-in from here on, and the test that started this process may
// evaluate functions in it, as Playwright does in real Electron.
import { registerHooks } from 'node:module';

const standIn = new URL('electron.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
});

interface Question {
  readonly id: number;
  /** Source of a function of the module and one argument; null asks where the pages can be seen. */
  readonly source: string | null;
  readonly arg: unknown;
}

process.on('message', (question: Question) => {
  void answer(question).then((reply) => process.send?.({ id: question.id, ...reply }));
});
process.once('disconnect', () => {
  // The test has gone or is done with us.
  void import('./chromium.ts').then(({ browser }) => browser.close()).finally(() => process.exit(1));
});

async function answer({ source, arg }: Question): Promise<{ value: unknown } | { error: string }> {
  try {
    if (source === null) {
      const { browser } = await import('./chromium.ts');
      return { value: await browser.debuggingAddress() };
    }
    const electron: unknown = await import(standIn);
    const evaluate = (0, eval)(`(${source})`) as (module: unknown, argument: unknown) => unknown;
    return { value: await evaluate(electron, arg) };
  } catch (error: unknown) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
