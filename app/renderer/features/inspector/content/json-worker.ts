import { indexJson } from './json-index.ts';
import type { JsonForm } from './json-index.ts';

// One text in, its table out; the page ends the worker when it no longer wants the answer.
self.addEventListener('message', (event: MessageEvent<{ readonly text: string; readonly form: JsonForm }>) => {
  const table = indexJson(event.data.text, event.data.form);
  const { kinds, keys, starts, ends, parents, afters, places, sizes, depths } = table;
  const columns = [kinds, keys, starts, ends, parents, afters, places, sizes, depths];
  self.postMessage(table, { transfer: columns.map(({ buffer }) => buffer) });
});
