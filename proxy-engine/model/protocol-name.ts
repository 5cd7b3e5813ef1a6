/** Protocol of one leg, named as ALPN does (RFC 7301); `tcp`, `tls` and `udp` for legs that carry no HTTP. */
export type ProtocolName = 'http/1.0' | 'http/1.1' | 'h2' | 'h2c' | 'tcp' | 'tls' | 'udp';
