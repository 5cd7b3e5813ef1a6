export { acceptsEcdsa, isGrease, type ClientHello, type ClientHelloResult } from './client-hello.ts';
export { ClientHelloReader } from './client-hello-reader.ts';
export { ja3, ja3Text, ja4, ja4Text } from './fingerprint.ts';
