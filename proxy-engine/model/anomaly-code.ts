/**
 * Malformations that Weir tolerates, forwards and flags (docs/protocols.md), each with the sentence that the inspector
 * shows. A malformation that two parsers could read differently is refused instead and stands among the error codes.
 */
export const ANOMALY_CODES = {
  'length-with-chunked': 'Content-Length came together with Transfer-Encoding; the length was dropped.',
  'equal-lengths': 'Content-Length came several times with the same value; one was kept.',
  'repeated-chunked': 'Transfer-Encoding named chunked more than once; it was normalised to one.',
  'unframed-coding': 'Transfer-Encoding did not end in chunked; the body was read until the connection closed.',
  'chunked-on-http-1.0': 'An HTTP/1.0 message used Transfer-Encoding; the connection was closed after it.',
  'bare-line-feed': 'Lines of the head ended in a bare line feed.',
  'folded-field': 'A field value was folded over several lines; they were joined by a space.',
  'space-before-colon': 'White space stood between a field name and its colon; it was removed.',
  'empty-lines-before-start': 'Empty lines came before the start line; they were skipped.',
  'host-differs-from-target': 'The Host field did not match the request target; the target won.',
  'connect-without-host':
    'A CONNECT request came without the Host field that HTTP/1.1 requires; its target names the host.',
  'bytes-after-response': 'The origin sent bytes after the end of its response; its connection was discarded.',
  'early-response': 'The origin answered before the request body was complete.',
  'body-on-bodyless-response': 'The origin sent a body with a response that must not have one.',
  'outer-space': 'White space stood around a field value of an HTTP/2 response; it was removed.',
  'authority-differs-from-sni': 'The request names another host than the TLS handshake did.',
} as const;

export type AnomalyCode = keyof typeof ANOMALY_CODES;
