import { expect, test } from 'vitest';
import { fitsNative, readH2load, readWrk } from './native-load.ts';
import { GET_SMALL } from './profiles/profile.ts';

const WRK = `Running 1s test @ http://127.0.0.1:8099/small
  1 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.33ms    2.77ms  34.29ms   91.62%
    Req/Sec    16.18k    10.70k   28.73k    50.00%
  Latency Distribution
     50%  314.00us
     75%    0.92ms
     90%    3.57ms
     99%   14.31ms
  16057 requests in 1.00s, 2.39MB read
  Socket errors: connect 0, read 3, write 0, timeout 1
  Non-2xx or 3xx responses: 57
Requests/sec:  16031.89
`;
const H2LOAD = `finished in 1.50s, 20049.00 req/s, 2.98MB/s
requests: 20053 total, 20055 started, 20053 done, 20049 succeeded, 3 failed, 1 errored, 0 timeout
status codes: 20049 2xx, 0 3xx, 0 4xx, 3 5xx
                     min         max         mean         sd        +/- sd
time for request:       36us     10.28ms        99us       267us    98.76%
`;

test('what wrk prints: answers other than 2xx and 3xx are errors, as broken connections are', () => {
  expect(readWrk(WRK)).toEqual({
    operations: 16_000,
    errors: 61,
    seconds: 1,
    p50: 0.314,
    p90: 3.57,
    p99: 14.31,
    max: 34.29,
  });
});

test('what h2load prints: it knows no percentiles', () => {
  expect(readH2load(H2LOAD)).toEqual({
    operations: 20_049,
    errors: 4,
    seconds: 1.5,
    p50: null,
    p90: null,
    p99: null,
    max: 10.28,
  });
});

test.each([
  ['a GET on connections that stay', {}, true],
  ['the same over HTTP/2', { protocol: 'http2' }, true],
  ['a body', { sends: 1 }, false],
  ['new connections', { fresh: true }, false],
  ['a slow reader', { readPauseMs: 8 }, false],
  ['datagrams', { protocol: 'udp' }, false],
] as const)('whether generators of others can offer %s', (_what, change, fits) => {
  expect(fitsNative({ ...GET_SMALL, ...change })).toBe(fits);
});
