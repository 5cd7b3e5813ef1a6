export { SOCKS4, SOCKS5, SocksServerHandshake, socksReply } from './server-handshake.ts';
export type { SocksRefusal, SocksRequest, SocksServerSink } from './server-handshake.ts';
export { SocksClientHandshake } from './client-handshake.ts';
export { readDatagram, writeDatagram } from './datagram.ts';
export type { SocksAddress } from './address.ts';
export type { SocksOutcome } from './reply.ts';
