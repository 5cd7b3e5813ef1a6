/** Hosts that profiles make up stand below this one; the TLS origin has a certificate for all of them (RFC 6761 §6.2). */
export const NEW_NAMES_DOMAIN = 'new.bench.test';
