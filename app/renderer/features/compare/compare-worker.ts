import { compareBodies } from './compare-bodies.ts';
import type { ComparedBody } from './compare-bodies.ts';

// Two bodies in, their difference out; the page ends the worker when it no longer wants the answer.
self.addEventListener(
  'message',
  (event: MessageEvent<{ readonly left: ComparedBody; readonly right: ComparedBody }>) => {
    self.postMessage(compareBodies(event.data.left, event.data.right));
  },
);
