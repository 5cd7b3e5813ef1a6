export { SOCKS4, SOCKS5, SocksServerHandshake, socksReply } from './server-handshake.ts';
export type { CheckPassword, SocksRefusal, SocksRequest, SocksServerSink } from './server-handshake.ts';
export { SocksClientHandshake } from './client-handshake.ts';
export type { SocksClientStep } from './client-handshake.ts';
export { readDatagram, writeDatagram } from './datagram.ts';
export type { SocksAddress } from './address.ts';
export type { SocksOutcome } from './reply.ts';
