import { GET_SMALL, REVERSE, RIVALS, RIVALS_UNBUFFERED, type ProfileFacts } from './profile.ts';

/** Exchanges of several parts, and calls. */
export const STREAMS: readonly ProfileFacts[] = [
  {
    id: 'grpc-unary',
    family: 'streams',
    title: 'gRPC unary',
    workload: 'unary calls of 32 bytes each way; HTTP/2 by prior knowledge on both legs',
    products: RIVALS_UNBUFFERED,
    role: { ...REVERSE, origin: 'h2c', http2: true, grpc: true },
    load: { ...GET_SMALL, protocol: 'http2', path: '/bench.Echo/Unary', grpc: true },
    sets: ['full'],
  },
  {
    id: 'sse-finite',
    family: 'streams',
    title: 'Server-sent events',
    workload: 'GET of a stream of three events, chunked, a write each; HTTP/1.1 on both legs',
    products: RIVALS,
    role: REVERSE,
    load: { ...GET_SMALL, path: '/events' },
    sets: ['full'],
  },
  {
    id: 'openai-json',
    family: 'streams',
    title: 'OpenAI-style JSON',
    workload: 'POST of 256 bytes, answered by a chat completion; HTTP/1.1 on both legs',
    products: RIVALS,
    role: REVERSE,
    load: { ...GET_SMALL, path: '/openai/json', sends: 256 },
    sets: ['full'],
  },
  {
    id: 'openai-stream',
    family: 'streams',
    title: 'OpenAI-style stream',
    workload: 'POST of 256 bytes, answered by a stream of six chunks; HTTP/1.1 on both legs',
    products: RIVALS,
    role: REVERSE,
    load: { ...GET_SMALL, path: '/openai/stream', sends: 256 },
    sets: ['full'],
  },
];

/** Bytes that are passed on as they are. */
export const RELAYS: readonly ProfileFacts[] = [
  {
    id: 'websocket-echo',
    family: 'relays',
    title: 'WebSocket echo',
    workload: 'binary messages of 32 bytes there and back, without compression',
    unit: 'messages',
    products: RIVALS_UNBUFFERED,
    role: REVERSE,
    load: { ...GET_SMALL, protocol: 'websocket', path: '/echo', sends: 32 },
    sets: ['full'],
  },
  {
    id: 'tcp-echo',
    family: 'relays',
    title: 'TCP echo',
    workload: '64 bytes there and back on a relayed connection',
    unit: 'round trips',
    products: RIVALS_UNBUFFERED,
    role: { kind: 'tcp' },
    load: { ...GET_SMALL, protocol: 'tcp', sends: 64 },
    sets: ['full'],
  },
  {
    id: 'udp-echo',
    family: 'relays',
    title: 'UDP echo',
    workload: 'datagrams of 64 bytes there and back',
    unit: 'round trips',
    products: ['weir', 'weir-capture', 'nginx'],
    role: { kind: 'udp' },
    load: { ...GET_SMALL, protocol: 'udp', sends: 64 },
    sets: ['full'],
  },
];
