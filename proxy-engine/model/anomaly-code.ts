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
  'trailers-dropped':
    'Trailers came after a body of declared length, which HTTP/1 has no place for; they are recorded and were not forwarded.',
  'outer-space': 'White space stood around a field value of an HTTP/2 response; it was removed.',
  'http3-offered': 'The origin offered HTTP/3 (Alt-Svc), which would pass Weir by.',
  'passed-after-refusals':
    'TLS was relayed unopened, because clients had refused Weir\u2019s certificate for this host just before.',
  'authority-differs-from-sni': 'The request names another host than the TLS handshake did.',
  'websocket-reserved-bits': 'A WebSocket frame set reserved bits that no negotiated extension uses.',
  'websocket-opcode': 'A WebSocket frame had a reserved opcode.',
  'websocket-mask': 'A WebSocket frame of the client had no mask, or one of the origin had one.',
  'websocket-length': 'The length of a WebSocket frame was longer than needed, or impossible.',
  'websocket-control': 'A WebSocket control frame was fragmented or longer than 125 bytes.',
  'websocket-sequence': 'A WebSocket continuation came without a beginning, or a message began inside of another one.',
  'websocket-close-code': 'A WebSocket close frame had a code that must not be sent, or half of one.',
  'websocket-after-close': 'A WebSocket frame came behind a close frame.',
  'websocket-utf-8': 'A WebSocket text message or close reason was not UTF-8.',
  'websocket-compression': 'A compressed WebSocket message could not be inflated.',
  'event-utf-8': 'An event stream was not UTF-8.',
  'grpc-message': 'A gRPC message had unknown flags, or could not be decompressed.',
  'connect-message':
    'A message of Connect had unknown flags, could not be decompressed, or was an end of the stream that cannot be read or stood in another place.',
} as const;

export type AnomalyCode = keyof typeof ANOMALY_CODES;
