import { layOut } from './pretty.ts';
import type { PrettyKind } from './pretty.ts';

// One text in, one text out; the page ends the worker when it no longer wants the answer.
self.addEventListener(
  'message',
  (event: MessageEvent<{ readonly kind: PrettyKind; readonly body: string | Uint8Array }>) => {
    self.postMessage(layOut(event.data.kind, event.data.body));
  },
);
