import type { RequestHeadChanges, ResponseHeadChanges } from './changes.ts';
import type { RequestHead, ResponseHead } from './message.ts';

/** The bytes of a request head to forward: `head.bytes` itself when nothing differs, else a new buffer. */
export function writeRequestHead(head: RequestHead, changes: RequestHeadChanges): Buffer {
  throw new Error(head.target + String(changes.target));
}

/** The bytes of a response head to forward: `head.bytes` itself when nothing differs, else a new buffer. */
export function writeResponseHead(head: ResponseHead, changes: ResponseHeadChanges): Buffer {
  throw new Error(head.reason + String(changes.keepAlive));
}
