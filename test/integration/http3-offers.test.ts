import { createSecureServer, connect as connectHttp2 } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { Wire, WireServer } from '../support/wire.ts';

const OFFER = 'Alt-Svc: h3=":443"; ma=86400, h2="b.test:443"\r\n';

let weir: EngineUnderTest;
let origin: WireServer;

beforeEach(async () => {
  weir = await startEngine({ settings: { originCertificateAuthorities: [ORIGIN_CA] } });
  origin = await WireServer.listen();
});

afterEach(async () => {
  await weir.stop();
  await origin.close();
});

async function ask(): Promise<string> {
  const client = await Wire.connect(weir.port);
  const host = `localhost:${String(origin.port)}`;
  client.send(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const server = await origin.next();
  await server.head();
  server.send(`HTTP/1.1 200 OK\r\n${OFFER}Content-Length: 2\r\n\r\nok`);
  const answer = await client.until('ok');
  client.end();
  return answer;
}

test('an offer of HTTP/3 is forwarded as it came and flagged', async () => {
  expect(await ask()).toBe(`HTTP/1.1 200 OK\r\n${OFFER}Content-Length: 2\r\n\r\nok`);
  const row = await weir.rows.only();
  expect(row.end.anomalies).toEqual(['http3-offered']);
  expect(row.response?.sentHead).toBeNull();
});

test('with the setting it is taken out and other alternatives stay; both forms are recorded', async () => {
  weir.configure({ stripHttp3Offers: true });
  const sent = 'HTTP/1.1 200 OK\r\nAlt-Svc: h2="b.test:443"\r\nContent-Length: 2\r\n\r\n';
  expect(await ask()).toBe(`${sent}ok`);
  const row = await weir.rows.only();
  expect(row.end.anomalies).toEqual(['http3-offered']);
  expect(row.response?.head.toString()).toContain('h3=');
  expect(row.response?.sentHead?.toString()).toBe(sent);
});

test('the same between two legs of HTTP/2', async () => {
  const server = createSecureServer(originCertificate('localhost'));
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'alt-svc': 'h3=":443"' });
    stream.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  weir.configure({ stripHttp3Offers: true });
  const tunnel = await Wire.connect(weir.port);
  tunnel.send(`CONNECT localhost:${String(port)} HTTP/1.1\r\nHost: localhost:${String(port)}\r\n\r\n`);
  await tunnel.head();
  const secure = await tunnel.secure({ ca: weir.ca, servername: 'localhost', ALPNProtocols: ['h2'] });
  secure.socket.removeAllListeners('data');
  const session = connectHttp2(`https://localhost:${String(port)}`, { createConnection: () => secure.socket });
  const stream = session.request({ ':path': '/' });
  const [headers] = (await once(stream, 'response')) as [Record<string, string>];
  expect(headers['alt-svc']).toBeUndefined();
  stream.resume();
  await once(stream, 'end');
  session.close();
  expect((await weir.rows.only()).end.anomalies).toEqual(['http3-offered']);
  server.close();
});
