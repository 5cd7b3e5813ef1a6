import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { createCertificateAuthority } from './certificate-authority.ts';
import { issueCertificate } from './issue-certificate.ts';

test('an issued certificate serves TLS to a client that trusts its authority and checks the name', async () => {
  const now = Date.now();
  const authority = createCertificateAuthority('ecdsa', now);
  const { certificate, key } = issueCertificate(authority, 'localhost', now);
  const server = createServer({ cert: certificate, key }, (socket) => socket.end('served'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const client = connect({
    port: (server.address() as AddressInfo).port,
    ca: authority.certificate,
    servername: 'localhost',
  });
  let text = '';
  for await (const bytes of client as AsyncIterable<Buffer>) text += bytes.toString();

  expect(text).toBe('served');
  expect(new X509Certificate(certificate).checkHost('elsewhere.test')).toBeUndefined();
  server.close();
});
