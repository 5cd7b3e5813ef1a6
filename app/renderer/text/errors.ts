import type { ErrorCode } from '#contract';

/** What one button beneath an explained failure does. */
export type ErrorAction =
  /** Puts the host on the passthrough list. */
  | 'pass-through'
  /** Switches verification off for this host. */
  | 'trust-host'
  | 'view-chain'
  | 'view-raw'
  | 'view-timing'
  | 'open-setup'
  | 'open-settings'
  | 'copy-curl'
  | 'filter-host';

export interface ErrorText {
  /** What happened, in half a line. */
  readonly title: string;
  /** Why it happens. */
  readonly cause: string;
  /** What a person can do. */
  readonly next: string;
  readonly action: ErrorAction;
  /** Stands in the status column; five letters at most. */
  readonly word: string;
  /** Stands in place of a path, where there is none. */
  readonly brief: string;
}

/** Labels of the buttons. */
export const ERROR_ACTION_TEXT: Readonly<Record<ErrorAction, string>> = {
  'pass-through': 'Pass this host through',
  'trust-host': 'Trust this host',
  'view-chain': 'View chain',
  'view-raw': 'View raw bytes',
  'view-timing': 'View timing',
  'open-setup': 'Open Setup',
  'open-settings': 'Open Settings',
  'copy-curl': 'Copy as cURL',
  'filter-host': 'Show this host',
};

const MALFORMED_REQUEST = {
  cause:
    'The client sent bytes that HTTP/1.1 does not allow. Two programs could read them differently, so Weir refused them.',
  next: 'Look at the raw bytes and mend the client.',
  action: 'view-raw',
  word: 'HTTP',
} as const;

const MALFORMED_RESPONSE = {
  cause: 'The origin sent bytes that HTTP/1.1 does not allow, so Weir could not pass them on safely.',
  next: 'Look at the raw bytes and mend the origin, or the program that answers in its place.',
  action: 'view-raw',
  word: 'HTTP',
} as const;

/** Every way in which an exchange can fail, explained. A test fails when a code of the engine is missing here. */
export const ERROR_TEXT: Readonly<Record<ErrorCode, ErrorText>> = {
  'dns.not-found': {
    title: 'The host name does not exist',
    cause: 'The resolver of this computer knows no address for it.',
    next: 'Check the spelling. If the name exists inside a VPN or a container only, Weir must run there too.',
    action: 'filter-host',
    word: 'DNS',
    brief: 'host name not found',
  },
  'dns.failed': {
    title: 'The host name could not be resolved',
    cause: 'The resolver of this computer gave an error instead of an answer.',
    next: 'Check the network and its DNS servers, then repeat the request.',
    action: 'filter-host',
    word: 'DNS',
    brief: 'name resolution failed',
  },
  'dns.timeout': {
    title: 'Name resolution took too long',
    cause: 'The resolver did not answer within the limit “resolve”.',
    next: 'Check the DNS servers, or raise the limit in Settings.',
    action: 'open-settings',
    word: 'DNS',
    brief: 'name resolution timed out',
  },
  'connect.refused': {
    title: 'The origin refused the connection',
    cause: 'The machine is there and nothing listens at this port.',
    next: 'Start the server, or check the port.',
    action: 'filter-host',
    word: 'conn',
    brief: 'connection refused',
  },
  'connect.unreachable': {
    title: 'The origin cannot be reached',
    cause: 'The network knows no way to this address.',
    next: 'Check the network, the VPN and the firewall.',
    action: 'filter-host',
    word: 'conn',
    brief: 'no route to the origin',
  },
  'connect.timeout': {
    title: 'The origin did not take the connection in time',
    cause: 'No answer came within the limit “connect”. A firewall that drops packets looks like this.',
    next: 'Check the address and the firewall, or raise the limit in Settings.',
    action: 'open-settings',
    word: 'late',
    brief: 'connection timed out',
  },
  'connect.failed': {
    title: 'The connection to the origin failed',
    cause: 'The system reported an error while connecting.',
    next: 'Read the message below and repeat the request.',
    action: 'view-timing',
    word: 'conn',
    brief: 'connection failed',
  },
  'tls.origin-untrusted': {
    title: 'The origin’s certificate is not trusted',
    cause: 'No authority that this computer trusts has signed it, or the origin left an intermediate certificate out.',
    next: 'Trust this host if you know it, or start Weir with --origin-ca and the authority’s file.',
    action: 'trust-host',
    word: 'TLS',
    brief: 'origin certificate not trusted',
  },
  'tls.origin-self-signed': {
    title: 'The origin’s certificate is self-signed',
    cause: 'The origin vouches for itself, as development servers do.',
    next: 'Trust this host if it is yours, or start Weir with --origin-ca and the certificate’s file.',
    action: 'trust-host',
    word: 'TLS',
    brief: 'origin certificate is self-signed',
  },
  'tls.origin-expired': {
    title: 'The origin’s certificate has expired',
    cause: 'Its last day is over by this computer’s clock.',
    next: 'Renew the certificate. To go on meanwhile, trust this host.',
    action: 'trust-host',
    word: 'TLS',
    brief: 'origin certificate expired',
  },
  'tls.origin-not-yet-valid': {
    title: 'The origin’s certificate is not valid yet',
    cause: 'Its first day is in the future by this computer’s clock.',
    next: 'Check the clocks of both machines. To go on meanwhile, trust this host.',
    action: 'trust-host',
    word: 'TLS',
    brief: 'origin certificate not valid yet',
  },
  'tls.origin-name-mismatch': {
    title: 'The origin’s certificate is for another name',
    cause: 'None of the names in it is the host that was asked for.',
    next: 'Look at the names in the chain and check the address.',
    action: 'view-chain',
    word: 'TLS',
    brief: 'origin certificate names another host',
  },
  'tls.origin-wants-certificate': {
    title: 'The origin wants a client certificate',
    cause: 'It ended the handshake because it was shown none, and Weir has none for this host.',
    next: 'Pass this host through, so that the client shows its own.',
    action: 'pass-through',
    word: 'TLS',
    brief: 'origin wants a client certificate',
  },
  'tls.origin-handshake': {
    title: 'The TLS handshake with the origin failed',
    cause: 'The two sides found no common version or cipher, or what answered does not speak TLS.',
    next: 'Check that this port speaks TLS. Very old servers can be passed through.',
    action: 'pass-through',
    word: 'TLS',
    brief: 'TLS handshake with the origin failed',
  },
  'tls.origin-timeout': {
    title: 'The TLS handshake with the origin took too long',
    cause: 'The connection stood and the handshake did not end within the limit “tls”.',
    next: 'Repeat the request, or raise the limit in Settings.',
    action: 'open-settings',
    word: 'late',
    brief: 'TLS handshake timed out',
  },
  'tls.client-untrusted': {
    title: 'The client does not trust Weir’s certificate',
    cause:
      'It ended the handshake after Weir showed its certificate. The program pins its own certificate, or Weir’s authority is not trusted where it looks.',
    next: 'See Setup for how a program learns to trust Weir. A program that pins must be passed through.',
    action: 'pass-through',
    word: 'TLS',
    brief: 'client refused Weir’s certificate',
  },
  'tls.client-handshake': {
    title: 'The TLS handshake with the client failed',
    cause: 'The client ended it, or the two sides found no common version or cipher.',
    next: 'If the client cannot be changed, pass this host through.',
    action: 'pass-through',
    word: 'TLS',
    brief: 'TLS handshake with the client failed',
  },
  'tls.client-timeout': {
    title: 'The client did not finish its TLS handshake',
    cause: 'It began one and fell silent for longer than the limit “tls”.',
    next: 'Nothing is needed for a connection that a browser opened in advance. Otherwise raise the limit in Settings.',
    action: 'open-settings',
    word: 'late',
    brief: 'client’s TLS handshake timed out',
  },
  'http1.request-line': {
    ...MALFORMED_REQUEST,
    title: 'The request line cannot be read',
    brief: 'malformed request line',
  },
  'http1.request-line-too-long': {
    title: 'The request line is too long',
    cause: 'It is longer than the limit “requestLineBytes”.',
    next: 'Raise the limit in Settings, or send the data in a body.',
    action: 'open-settings',
    word: 'HTTP',
    brief: 'request line too long',
  },
  'http1.head-too-large': {
    title: 'The head is too large',
    cause: 'Its fields together are longer than the limit “headBytes”. Cookies that grow are the usual reason.',
    next: 'Raise the limit in Settings, or delete the cookies of this host.',
    action: 'open-settings',
    word: 'HTTP',
    brief: 'head too large',
  },
  'http1.too-many-fields': {
    title: 'The head has too many fields',
    cause: 'There are more than the limit “fields” allows.',
    next: 'Raise the limit in Settings.',
    action: 'open-settings',
    word: 'HTTP',
    brief: 'too many header fields',
  },
  'http1.version': {
    title: 'The HTTP version is not known',
    cause: 'The request line names a version that Weir does not speak here.',
    next: 'Let the client use HTTP/1.1, or pass this host through.',
    action: 'pass-through',
    word: 'HTTP',
    brief: 'unknown HTTP version',
  },
  'http1.target': {
    ...MALFORMED_REQUEST,
    title: 'The request target cannot be read',
    brief: 'malformed request target',
  },
  'http1.host': {
    ...MALFORMED_REQUEST,
    title: 'The Host field is missing, doubled or malformed',
    cause: 'Without one clear Host field nobody can say where the request belongs.',
    brief: 'bad Host field',
  },
  'http1.field-name': {
    ...MALFORMED_REQUEST,
    title: 'A field name holds forbidden characters',
    brief: 'bad field name',
  },
  'http1.field-value': {
    ...MALFORMED_REQUEST,
    title: 'A field value holds forbidden characters',
    brief: 'bad field value',
  },
  'http1.line-end': {
    ...MALFORMED_REQUEST,
    title: 'A line of the head ends wrongly',
    cause: 'A carriage return stood alone, or a line ended in a bare line feed while that is not tolerated.',
    brief: 'bad line end',
  },
  'http1.obs-fold': { ...MALFORMED_REQUEST, title: 'A field is folded over several lines', brief: 'folded field' },
  'http1.space-before-colon': {
    ...MALFORMED_REQUEST,
    title: 'White space stands before a colon',
    brief: 'white space before a colon',
  },
  'http1.content-length': { ...MALFORMED_REQUEST, title: 'Content-Length cannot be read', brief: 'bad Content-Length' },
  'http1.transfer-encoding': {
    ...MALFORMED_REQUEST,
    title: 'Transfer-Encoding cannot be read',
    brief: 'bad Transfer-Encoding',
  },
  'http1.unknown-coding': {
    title: 'A transfer coding is not known',
    cause: 'The body is framed in a way that Weir cannot follow to its end.',
    next: 'Let the client use chunked, or pass this host through.',
    action: 'pass-through',
    word: 'HTTP',
    brief: 'unknown transfer coding',
  },
  'http1.chunk': { ...MALFORMED_REQUEST, title: 'A chunk of the body is malformed', brief: 'malformed chunk' },
  'http1.trailers': { ...MALFORMED_REQUEST, title: 'The trailers cannot be read', brief: 'malformed trailers' },
  'http1.status-line': {
    ...MALFORMED_RESPONSE,
    title: 'The status line cannot be read',
    brief: 'malformed status line',
  },
  'http1.response-head': {
    ...MALFORMED_RESPONSE,
    title: 'The response head cannot be read',
    brief: 'malformed response head',
  },
  'http1.response-framing': {
    ...MALFORMED_RESPONSE,
    title: 'The length of the response is contradictory',
    brief: 'contradictory response length',
  },
  'http1.unexpected-101': {
    title: 'The origin switched protocols unasked',
    cause: 'It answered 101 to a request that offered no other protocol.',
    next: 'Look at the raw bytes and mend the origin.',
    action: 'view-raw',
    word: 'HTTP',
    brief: 'unexpected 101',
  },
  'http2.malformed-request': {
    title: 'The request breaks a rule of HTTP/2',
    cause: 'Its fields or its length are not what RFC 9113 allows, so Weir reset its stream.',
    next: 'Read the message above and mend the client.',
    action: 'view-raw',
    word: 'HTTP',
    brief: 'malformed HTTP/2 request',
  },
  'http2.malformed-response': {
    title: 'The response breaks a rule of HTTP/2',
    cause: 'Its fields or its length are not what RFC 9113 allows, so Weir reset its stream.',
    next: 'Read the message above and mend the origin.',
    action: 'view-raw',
    word: 'HTTP',
    brief: 'malformed HTTP/2 response',
  },
  'http2.client-connection': {
    title: 'The client broke its HTTP/2 connection',
    cause:
      'It sent frames that RFC 9113 does not allow, or more of them than a limit permits; every stream on it ended.',
    next: 'Read the message above: it names the rule or the limit.',
    action: 'open-settings',
    word: 'HTTP',
    brief: 'HTTP/2 connection error',
  },
  'http2.origin-connection': {
    title: 'The origin broke its HTTP/2 connection',
    cause:
      'It sent frames that RFC 9113 does not allow, or more of them than a limit permits; every stream on it ended.',
    next: 'Read the message above: it names the rule or the limit.',
    action: 'open-settings',
    word: 'HTTP',
    brief: 'HTTP/2 connection error',
  },
  'http2.refused': {
    title: 'The origin refused the stream',
    cause: 'It is shutting down or has too much to do, and the request could not be sent once more.',
    next: 'Try again in a moment.',
    action: 'view-timing',
    word: 'reset',
    brief: 'stream refused',
  },
  'http2.reset': {
    title: 'The origin reset the stream',
    cause: 'It ended this one request without a response; its connection goes on.',
    next: 'Read the error code in the message above and the origin\u2019s log.',
    action: 'view-timing',
    word: 'reset',
    brief: 'stream reset',
  },
  'timeout.request-head': {
    title: 'The client did not finish its request head',
    cause: 'It fell silent for longer than the limit “requestHead”.',
    next: 'Nothing is needed for a connection that a browser opened in advance. Otherwise raise the limit in Settings.',
    action: 'open-settings',
    word: 'late',
    brief: 'request head timed out',
  },
  'timeout.first-byte': {
    title: 'The origin did not begin its response in time',
    cause: 'No byte came within the limit “firstByte”.',
    next: 'See where the time went, or raise the limit in Settings.',
    action: 'open-settings',
    word: 'late',
    brief: 'no response in time',
  },
  'timeout.idle': {
    title: 'The exchange fell silent',
    cause: 'No byte moved in either direction for longer than the limit “idle”.',
    next: 'Raise the limit in Settings for streams that rest for long.',
    action: 'open-settings',
    word: 'late',
    brief: 'idle for too long',
  },
  'timeout.total': {
    title: 'The exchange took too long',
    cause: 'It was not done within the limit “total”.',
    next: 'Raise the limit in Settings, or switch it off with 0.',
    action: 'open-settings',
    word: 'late',
    brief: 'took too long',
  },
  'origin.closed-early': {
    title: 'The origin closed the connection without a response',
    cause: 'It took the request and ended the connection before the first complete head.',
    next: 'Look into the origin’s log, and repeat the request.',
    action: 'copy-curl',
    word: 'reset',
    brief: 'origin closed the connection',
  },
  'origin.cut-short': {
    title: 'The response was cut short',
    cause: 'The origin ended the connection before the length that it had announced.',
    next: 'What came is kept. Repeat the request, and look into the origin’s log.',
    action: 'copy-curl',
    word: 'cut',
    brief: 'response cut short',
  },
  'client.cancelled': {
    title: 'The client gave up',
    cause: 'It closed its connection before the response was complete, as a browser does when a page is left.',
    next: 'Nothing is wrong on Weir’s side. See where the time went if the client was impatient.',
    action: 'view-timing',
    word: 'quit',
    brief: 'cancelled by the client',
  },
  'client.cut-short': {
    title: 'The request was cut short',
    cause: 'The client ended its connection before the length that it had announced.',
    next: 'What came is kept. Repeat the request.',
    action: 'view-raw',
    word: 'cut',
    brief: 'request cut short',
  },
  'client.credentials': {
    title: 'The client did not show the right user and password',
    cause: 'This proxy asks its clients for them.',
    next: 'Give them to the client, or change them in Settings under Proxy clients.',
    action: 'open-settings',
    word: 'auth',
    brief: 'proxy credentials missing or wrong',
  },
  'client.not-approved': {
    title: 'A device that is not allowed wanted to use Weir',
    cause: 'It is another machine, and nobody has allowed it yet.',
    next: 'Allow this device in the notice above the list, or in Settings under Proxy clients.',
    action: 'open-settings',
    word: 'ask',
    brief: 'device not allowed yet',
  },
  'client.forbidden-address': {
    title: 'Another machine may not reach this address through Weir',
    cause: 'Loopback, link-local and metadata addresses belong to this machine alone.',
    next: 'Give that service an address in the network, or put a reverse listener in front of it.',
    action: 'filter-host',
    word: 'deny',
    brief: 'address closed to other machines',
  },
  'socks.malformed': {
    title: 'The SOCKS request cannot be read',
    cause: 'The client began like SOCKS and went on in a way that RFC 1928 does not know.',
    next: 'Read the message above and mend the client.',
    action: 'view-timing',
    word: 'SOCKS',
    brief: 'malformed SOCKS request',
  },
  'socks.command': {
    title: 'The SOCKS command is not supported',
    cause: 'Weir opens connections and UDP associations; BIND is not among what it does.',
    next: 'Let the client connect by itself, without BIND.',
    action: 'view-timing',
    word: 'SOCKS',
    brief: 'unsupported SOCKS command',
  },
  'socks.address-type': {
    title: 'The SOCKS address type is not known',
    cause: 'A destination is a name, an IPv4 or an IPv6 address; the client named it in another way.',
    next: 'Mend the client.',
    action: 'view-timing',
    word: 'SOCKS',
    brief: 'unknown SOCKS address type',
  },
  'upstream-proxy.not-found': {
    title: 'The upstream proxy’s name does not exist',
    cause: 'The resolver of this computer knows no address for the proxy that Settings name.',
    next: 'Check the upstream proxy in Settings.',
    action: 'open-settings',
    word: 'DNS',
    brief: 'upstream proxy not found',
  },
  'upstream-proxy.connect': {
    title: 'The upstream proxy cannot be reached',
    cause: 'It did not take the connection, or broke it before the tunnel stood.',
    next: 'Check that it runs and that Settings name the right port.',
    action: 'open-settings',
    word: 'proxy',
    brief: 'upstream proxy not reached',
  },
  'upstream-proxy.tls': {
    title: 'TLS with the upstream proxy failed',
    cause: 'It does not speak TLS on this port, or its certificate is not trusted here.',
    next: 'Check the scheme in Settings, or start Weir with --origin-ca and the authority’s file.',
    action: 'open-settings',
    word: 'TLS',
    brief: 'TLS with the upstream proxy failed',
  },
  'upstream-proxy.timeout': {
    title: 'The upstream proxy did not answer in time',
    cause: 'The tunnel did not stand within the limit “connect”.',
    next: 'Repeat the request, or raise the limit in Settings.',
    action: 'open-settings',
    word: 'late',
    brief: 'upstream proxy timed out',
  },
  'upstream-proxy.credentials': {
    title: 'The upstream proxy wants other credentials',
    cause: 'It asked for a user and a password, or refused those in Settings.',
    next: 'Write them into the URL of the upstream proxy in Settings: http://user:password@host:port.',
    action: 'open-settings',
    word: 'auth',
    brief: 'upstream proxy refused the credentials',
  },
  'upstream-proxy.refused': {
    title: 'The upstream proxy refused the connection',
    cause: 'It said no to this destination, or could not reach it.',
    next: 'Read its reason above. A rule in Settings can reach this host without it.',
    action: 'open-settings',
    word: 'proxy',
    brief: 'refused by the upstream proxy',
  },
  'upstream-proxy.protocol': {
    title: 'The upstream proxy does not speak as expected',
    cause: 'What it answered is neither HTTP nor SOCKS5, whichever Settings say that it speaks.',
    next: 'Check the scheme and the port of the upstream proxy in Settings.',
    action: 'open-settings',
    word: 'proxy',
    brief: 'unexpected answer of the upstream proxy',
  },
  'udp.session-limit': {
    title: 'Too many UDP sessions',
    cause: 'There were as many at once as the limit “udpSessions” allows.',
    next: 'Raise the limit in Settings, or let idle sessions end sooner.',
    action: 'open-settings',
    word: 'UDP',
    brief: 'too many UDP sessions',
  },
  'loop.self': {
    title: 'The request would have gone to Weir itself',
    cause: 'The address is one of Weir’s own, so the request would have gone round for ever.',
    next: 'Ask for http://weir.test/ through the proxy to see Weir’s own page, or mend the address.',
    action: 'open-setup',
    word: 'loop',
    brief: 'request to Weir itself',
  },
  'loop.marker': {
    title: 'The request came back to Weir',
    cause: 'It carries the mark that this Weir sets on its way to an upstream proxy.',
    next: 'Check whether the upstream proxy uses Weir as its own.',
    action: 'open-settings',
    word: 'loop',
    brief: 'request went in a circle',
  },
  'weir.stopped': {
    title: 'Weir was stopped',
    cause: 'The exchange was under way when Weir ended.',
    next: 'Repeat the request.',
    action: 'copy-curl',
    word: 'stop',
    brief: 'Weir was stopped',
  },
  'weir.internal': {
    title: 'Weir made a mistake',
    cause: 'Something happened in the proxy that should not be possible.',
    next: 'Copy the request and report it, please, with the message below.',
    action: 'copy-curl',
    word: 'Weir',
    brief: 'internal error',
  },
};
