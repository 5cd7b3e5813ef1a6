import { GET_SMALL, REVERSE_H2, REVERSE_TLS, RIVALS, RIVALS_UNBUFFERED, type ProfileFacts } from './profile.ts';

const HTTP1 = { ...GET_SMALL, tls: true };
const HTTP2 = { ...HTTP1, protocol: 'http2' } as const;
const EARLY = { path: '/early', sends: 65_536 };

/** Exchanges whose two sides do not keep step. */
export const SHAPES: readonly ProfileFacts[] = [
  {
    id: 'slow-reader',
    family: 'shape',
    title: 'Slow reader',
    workload:
      'GET of 256 KiB, of which the client reads 16 KiB, waits 8 ms, and so on; HTTP/1.1 over TLS in front, plain behind',
    products: RIVALS,
    role: REVERSE_TLS,
    load: { ...HTTP1, path: '/256k', readPauseMs: 8 },
    p99LimitMs: 5_000,
  },
  {
    id: 'early-response',
    family: 'shape',
    title: 'Early response',
    workload:
      'POST of 64 KiB, answered by 42 bytes as soon as the origin has 8 KiB; HTTP/1.1 over TLS in front, plain behind',
    products: RIVALS,
    role: REVERSE_TLS,
    load: { ...HTTP1, ...EARLY },
  },
  {
    id: 'http2-early-response',
    family: 'shape',
    title: 'Early response, HTTP/2',
    workload:
      'POST of 64 KiB, answered by 42 bytes as soon as the origin has 8 KiB; HTTP/2 over TLS in front, plain HTTP/1.1 behind',
    products: RIVALS,
    role: REVERSE_H2,
    load: { ...HTTP2, ...EARLY },
  },
  {
    id: 'lossy-http1',
    family: 'shape',
    title: 'Lossy link',
    workload:
      'GET of 64 KiB over a link of 5 ms each way on which 1 % of reads stall a connection for 200 ms; HTTP/1.1 over TLS in front, plain behind',
    products: RIVALS,
    role: REVERSE_TLS,
    load: { ...HTTP1, path: '/64k', lossy: true },
    p99LimitMs: 2_000,
  },
  {
    id: 'lossy-http2',
    family: 'shape',
    title: 'Lossy link, HTTP/2',
    workload:
      'GET of 64 KiB over a link of 5 ms each way on which 1 % of reads stall a connection for 200 ms; HTTP/2 over TLS in front, plain HTTP/1.1 behind',
    products: RIVALS,
    role: REVERSE_H2,
    load: { ...HTTP2, path: '/64k', lossy: true },
    p99LimitMs: 2_000,
  },
  {
    id: 'http2-duplex',
    family: 'shape',
    title: 'Both directions at once',
    workload:
      'streams that stay open, messages of 16 KiB there and back, four under way on each; HTTP/2 over TLS on both legs (nginx carries them as gRPC)',
    unit: 'messages',
    products: RIVALS_UNBUFFERED,
    role: { ...REVERSE_H2, origin: 'h2', grpc: true },
    load: { ...HTTP2, path: '/duplex', sends: 16_384, duplex: true },
  },
];
