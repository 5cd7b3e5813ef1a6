import type { BenchProfile } from '#contract';
import type { Role } from './products/product.ts';
import type { Workload } from './workload.ts';

/** A profile and how it is driven. */
export interface RunnableProfile {
  readonly profile: BenchProfile;
  readonly role: Role;
  readonly load: Workload;
}

const GET_SMALL: Workload = {
  protocol: 'http1',
  path: '/small',
  sends: 0,
  tls: false,
  fresh: false,
  grpc: false,
};
const REVERSE: Role = { kind: 'reverse', origin: 'plain', tls: false, http2: false };
const REVERSE_TLS: Role = { ...REVERSE, tls: true };
const REVERSE_H2: Role = { ...REVERSE, tls: true, http2: true };

const RIVALS = ['weir', 'weir-capture', 'nginx', 'nginx-unbuffered', 'haproxy'];
const INTERCEPTORS = ['weir', 'weir-capture', 'mockttp', 'http-mitm-proxy', 'mitmproxy'];

/** Everything that can be measured, in the order in which it is shown. */
export const PROFILES: readonly RunnableProfile[] = [
  {
    profile: {
      id: 'http1-small',
      family: 'reverse',
      title: 'HTTP/1.1',
      workload: 'GET, keep-alive, 42 bytes of JSON; HTTP/1.1 on both legs',
      unit: 'requests',
      products: [...RIVALS, 'relay'],
      quick: true,
    },
    role: REVERSE,
    load: GET_SMALL,
  },
  {
    profile: {
      id: 'https-http1',
      family: 'tls',
      title: 'HTTPS, HTTP/1.1',
      workload: 'GET, keep-alive, 42 bytes of JSON; HTTP/1.1 over TLS in front, plain behind',
      unit: 'requests',
      products: RIVALS,
      quick: false,
    },
    role: REVERSE_TLS,
    load: { ...GET_SMALL, tls: true },
  },
  {
    profile: {
      id: 'https-http2',
      family: 'tls',
      title: 'HTTPS, HTTP/2',
      workload: 'GET, 42 bytes of JSON; HTTP/2 over TLS in front, plain HTTP/1.1 behind',
      unit: 'requests',
      products: [...RIVALS, 'translator'],
      quick: false,
    },
    role: REVERSE_H2,
    load: { ...GET_SMALL, protocol: 'http2', tls: true },
  },
  {
    profile: {
      id: 'new-connection',
      family: 'tls',
      title: 'New connections',
      workload: 'GET, 42 bytes of JSON, a new TLS connection for each; plain HTTP/1.1 behind',
      unit: 'connections',
      products: RIVALS,
      quick: false,
    },
    role: REVERSE_TLS,
    load: { ...GET_SMALL, tls: true, fresh: true },
  },
  {
    profile: {
      id: 'https-64k',
      family: 'heavy',
      title: '64 KiB down',
      workload: 'GET of 64 KiB; HTTP/1.1 over TLS in front, plain behind',
      unit: 'requests',
      products: RIVALS,
      quick: false,
    },
    role: REVERSE_TLS,
    load: { ...GET_SMALL, tls: true, path: '/64k' },
  },
  {
    profile: {
      id: 'https-256k',
      family: 'heavy',
      title: '256 KiB down',
      workload: 'GET of 256 KiB; HTTP/1.1 over TLS in front, plain behind',
      unit: 'requests',
      products: RIVALS,
      quick: false,
    },
    role: REVERSE_TLS,
    load: { ...GET_SMALL, tls: true, path: '/256k' },
  },
  {
    profile: {
      id: 'http2-64k',
      family: 'heavy',
      title: '64 KiB down, HTTP/2',
      workload: 'GET of 64 KiB; HTTP/2 over TLS in front, plain HTTP/1.1 behind',
      unit: 'requests',
      products: RIVALS,
      quick: false,
    },
    role: REVERSE_H2,
    load: { ...GET_SMALL, protocol: 'http2', tls: true, path: '/64k' },
  },
  {
    profile: {
      id: 'post-64k',
      family: 'heavy',
      title: '64 KiB up and down',
      workload: 'POST of 64 KiB, answered by 64 KiB; HTTP/1.1 over TLS in front, plain behind',
      unit: 'requests',
      products: RIVALS,
      quick: false,
    },
    role: REVERSE_TLS,
    load: { ...GET_SMALL, tls: true, path: '/64k', sends: 65_536 },
  },
  {
    profile: {
      id: 'grpc-unary',
      family: 'streams',
      title: 'gRPC unary',
      workload: 'unary calls of 32 bytes each way; HTTP/2 by prior knowledge on both legs',
      unit: 'requests',
      products: ['weir', 'weir-capture', 'nginx', 'haproxy'],
      quick: false,
    },
    role: { kind: 'reverse', origin: 'h2c', tls: false, http2: true },
    load: { ...GET_SMALL, protocol: 'http2', path: '/bench.Echo/Unary', grpc: true },
  },
  {
    profile: {
      id: 'sse-finite',
      family: 'streams',
      title: 'Server-sent events',
      workload: 'GET of a stream of three events, chunked, a write each; HTTP/1.1 on both legs',
      unit: 'requests',
      products: RIVALS,
      quick: false,
    },
    role: REVERSE,
    load: { ...GET_SMALL, path: '/events' },
  },
  {
    profile: {
      id: 'openai-json',
      family: 'streams',
      title: 'OpenAI-style JSON',
      workload: 'POST of 256 bytes, answered by a chat completion; HTTP/1.1 on both legs',
      unit: 'requests',
      products: RIVALS,
      quick: false,
    },
    role: REVERSE,
    load: { ...GET_SMALL, path: '/openai/json', sends: 256 },
  },
  {
    profile: {
      id: 'openai-stream',
      family: 'streams',
      title: 'OpenAI-style stream',
      workload: 'POST of 256 bytes, answered by a stream of six chunks; HTTP/1.1 on both legs',
      unit: 'requests',
      products: RIVALS,
      quick: false,
    },
    role: REVERSE,
    load: { ...GET_SMALL, path: '/openai/stream', sends: 256 },
  },
  {
    profile: {
      id: 'websocket-echo',
      family: 'relays',
      title: 'WebSocket echo',
      workload: 'binary messages of 32 bytes there and back, without compression',
      unit: 'messages',
      products: RIVALS,
      quick: false,
    },
    role: REVERSE,
    load: { ...GET_SMALL, protocol: 'websocket', path: '/echo', sends: 32 },
  },
  {
    profile: {
      id: 'tcp-echo',
      family: 'relays',
      title: 'TCP echo',
      workload: '64 bytes there and back on a relayed connection',
      unit: 'round trips',
      products: ['weir', 'weir-capture', 'nginx', 'haproxy', 'relay'],
      quick: false,
    },
    role: { kind: 'tcp' },
    load: { ...GET_SMALL, protocol: 'tcp', sends: 64 },
  },
  {
    profile: {
      id: 'udp-echo',
      family: 'relays',
      title: 'UDP echo',
      workload: 'datagrams of 64 bytes there and back',
      unit: 'round trips',
      products: ['weir', 'weir-capture', 'nginx'],
      quick: false,
    },
    role: { kind: 'udp' },
    load: { ...GET_SMALL, protocol: 'udp', sends: 64 },
  },
  {
    profile: {
      id: 'intercept-http1',
      family: 'interception',
      title: 'Intercepted HTTPS',
      workload: 'CONNECT, then GET of 42 bytes of JSON; HTTP/1.1 over TLS on both legs, opened in between',
      unit: 'requests',
      products: INTERCEPTORS,
      quick: true,
    },
    role: { kind: 'explicit' },
    load: { ...GET_SMALL, tls: true },
  },
];
