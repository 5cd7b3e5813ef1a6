import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { connect, TLSSocket, type PeerCertificate, type TLSSocket as ClientSocket } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createCertificateAuthority } from './certificate-authority.ts';
import { readCertificateFields } from './certificate-fields.ts';
import { createLeafForge, type Leaf, type LeafForge, type LeafForgeOptions } from './leaf-forge.ts';
import { UNUSABLE_NAME } from './leaf-name.ts';

const DAY = 86_400_000;
const AUTHORITY = createCertificateAuthority('ecdsa', Date.now());
const CERTIFICATES = {
  caCertificate: AUTHORITY.certificate,
  caKey: AUTHORITY.key,
  leafKey: 'ecdsa',
  own: null,
} as const;

const forgeWith = (options: LeafForgeOptions = {}): LeafForge => createLeafForge(CERTIFICATES, options);

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Serves whatever leaf `choose` gives, one a connection. */
async function serve(choose: () => Leaf): Promise<number> {
  const server = createServer((socket) => {
    const tls = new TLSSocket(socket, { isServer: true, secureContext: choose().context });
    tls.on('error', () => socket.destroy());
    tls.on('secure', () => tls.write('hello'));
    closers.push(() => socket.destroy());
  });
  closers.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

interface Visit {
  readonly certificate: PeerCertificate;
  readonly resumed: boolean;
  readonly session: Buffer;
}

async function visit(
  port: number,
  servername: string,
  options: { session?: Buffer; maxVersion?: 'TLSv1.2' } = {},
): Promise<Visit> {
  const socket: ClientSocket = connect({ host: '127.0.0.1', port, servername, ca: AUTHORITY.certificate, ...options });
  // TLS 1.3 sends its ticket after the handshake, in front of the first bytes.
  const session = new Promise<Buffer>((resolve) => socket.once('session', resolve));
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate();
  const resumed = socket.isSessionReused();
  const ticket = resumed && options.session ? options.session : await session;
  socket.destroy();
  return { certificate, resumed, session: ticket };
}

/** The leaf as a client gets it. */
async function presented(forge: LeafForge, name: string, key?: 'ecdsa' | 'rsa'): Promise<X509Certificate> {
  const port = await serve(() => forge.leafFor(name, key));
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  if (certificate === undefined) throw new Error('no certificate');
  return certificate;
}

describe('what a leaf says', () => {
  test('it is made out to the name and signed by the authority', async () => {
    const leaf = await presented(forgeWith(), 'shop.example');
    expect(leaf.subject).toBe('CN=shop.example');
    expect(leaf.subjectAltName).toBe('DNS:shop.example');
    expect(leaf.ca).toBe(false);
    expect(leaf.verify(new X509Certificate(AUTHORITY.certificate).publicKey)).toBe(true);
    expect(leaf.checkIssued(new X509Certificate(AUTHORITY.certificate))).toBe(true);
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  });

  test('it lives at most 197 days and is back-dated two', async () => {
    const now = Date.UTC(2027, 0, 10, 8, 30);
    const leaf = await presented(forgeWith({ now: () => now }), 'shop.example');
    expect(leaf.validFromDate.getTime()).toBe(now - 2 * DAY);
    const lifetime = leaf.validToDate.getTime() - leaf.validFromDate.getTime();
    expect(lifetime).toBeLessThanOrEqual(197 * DAY);
    expect(lifetime).toBeGreaterThan(196 * DAY);
  });

  test('a name past 64 characters leaves the subject empty and makes the alternative name critical', async () => {
    const name = `${'a'.repeat(61)}.${'b'.repeat(61)}.example`;
    const leaf = await presented(forgeWith(), name);
    expect(leaf.subject ?? '').toBe('');
    expect(leaf.subjectAltName).toBe(`DNS:${name}`);
    // subjectAltName, critical TRUE, OCTET STRING
    expect(leaf.raw.includes(Buffer.from('0603551d110101ff04', 'hex'))).toBe(true);
  });

  test('an address stands as an address', async () => {
    expect((await presented(forgeWith(), '192.0.2.7')).subjectAltName).toBe('IP Address:192.0.2.7');
    expect((await presented(forgeWith(), '[2001:db8::7]')).subjectAltName).toBe('IP Address:2001:DB8:0:0:0:0:0:7');
  });

  test('its authority key identifier is the authority’s subject key identifier', async () => {
    const leaf = await presented(forgeWith(), 'shop.example');
    const { subjectKeyIdentifier } = readCertificateFields(new X509Certificate(AUTHORITY.certificate).raw);
    const expected = Buffer.concat([
      Buffer.from('0603551d23041830168014', 'hex'),
      subjectKeyIdentifier ?? Buffer.alloc(0),
    ]);
    expect(leaf.raw.includes(expected)).toBe(true);
  });

  test('the facts of the chain are those that a client sees', async () => {
    const forge = forgeWith();
    const [leaf, authority] = forge.leafFor('shop.example').chain;
    const seen = await presented(forge, 'shop.example');
    expect(leaf?.fingerprint).toBe(seen.fingerprint256);
    expect(leaf?.serialNumber).toBe(seen.serialNumber);
    expect(leaf?.names).toEqual(['shop.example']);
    expect(leaf?.notBefore).toBe(seen.validFromDate.toISOString());
    expect(leaf?.notAfter).toBe(seen.validToDate.toISOString());
    expect(leaf?.key).toBe('EC P-256');
    expect(leaf?.issuer).toBe(authority?.subject);
    expect(authority?.fingerprint).toBe(new X509Certificate(AUTHORITY.certificate).fingerprint256);
  });

  test('an RSA leaf is there for clients that need one', async () => {
    const leaf = await presented(forgeWith(), 'old.example', 'rsa');
    expect(leaf.publicKey.asymmetricKeyType).toBe('rsa');
    expect(leaf.verify(new X509Certificate(AUTHORITY.certificate).publicKey)).toBe(true);
  });

  test('a name that no certificate can hold gives a leaf that the client refuses, and no error', () => {
    expect(forgeWith().leafFor('a\0b').chain[0]?.names).toEqual([UNUSABLE_NAME]);
  });
});

describe('the cache', () => {
  test('gives the same leaf again, however the name is written', () => {
    const forge = forgeWith();
    const leaf = forge.leafFor('shop.example');
    expect(forge.leafFor('shop.example')).toBe(leaf);
    expect(forge.leafFor('SHOP.example.')).toBe(leaf);
    expect(forge.leafFor('other.example')).not.toBe(leaf);
    expect(forge.leafFor('shop.example', 'rsa')).not.toBe(leaf);
  });

  test('keeps what was used last when it is full', () => {
    const forge = forgeWith({ capacity: 2 });
    const one = forge.leafFor('one.example');
    const two = forge.leafFor('two.example');
    forge.leafFor('one.example');
    forge.leafFor('three.example');
    expect(forge.leafFor('one.example')).toBe(one);
    expect(forge.leafFor('two.example')).not.toBe(two);
  });

  test('forges anew before a leaf ends', () => {
    let now = Date.UTC(2027, 0, 1);
    const forge = forgeWith({ now: () => now });
    const leaf = forge.leafFor('shop.example');
    now += 187 * DAY;
    expect(forge.leafFor('shop.example')).toBe(leaf);
    now += 2 * DAY;
    const renewed = forge.leafFor('shop.example');
    expect(renewed).not.toBe(leaf);
    expect(forge.leafFor('shop.example')).toBe(renewed);
  });
});

describe('sessions', () => {
  test.each(['TLSv1.3', 'TLSv1.2'] as const)('are resumed with a leaf forged anew, over %s', async (version) => {
    const forge = forgeWith({ capacity: 1 });
    const port = await serve(() => forge.leafFor('shop.example'));
    const options = version === 'TLSv1.2' ? { maxVersion: 'TLSv1.2' as const } : {};
    const first = await visit(port, 'shop.example', options);
    forge.leafFor('other.example');
    const second = await visit(port, 'shop.example', { ...options, session: first.session });
    expect([first.resumed, second.resumed]).toEqual([false, true]);
  });

  test('are resumed by another worker of the same backend', async () => {
    const forges = [forgeWith({ instance: 'one' }), forgeWith({ instance: 'one' })];
    const port = await serve(() => (forges.shift() ?? forgeWith()).leafFor('shop.example'));
    const first = await visit(port, 'shop.example');
    expect((await visit(port, 'shop.example', { session: first.session })).resumed).toBe(true);
  });

  test('are not resumed by another backend', async () => {
    const forges = [forgeWith({ instance: 'one' }), forgeWith({ instance: 'two' })];
    const port = await serve(() => (forges.shift() ?? forgeWith()).leafFor('shop.example'));
    const first = await visit(port, 'shop.example');
    expect((await visit(port, 'shop.example', { session: first.session })).resumed).toBe(false);
  });

  test('are not resumed under another name', async () => {
    const forge = forgeWith();
    const leaves = [forge.leafFor('one.example'), forge.leafFor('two.example')];
    const port = await serve(() => leaves.shift() ?? forge.leafFor('none.example'));
    const first = await visit(port, 'one.example');
    const second = await visit(port, 'two.example', { session: first.session });
    expect(second.resumed).toBe(false);
    expect(second.certificate.subject.CN).toBe('two.example');
  });
});

describe('a certificate of the user’s own', () => {
  test('is served as it is', async () => {
    const own = createCertificateAuthority('rsa', Date.now());
    const forge = createLeafForge({ ...CERTIFICATES, own });
    const leaf = forge.own;
    if (leaf === null) throw new Error('no own leaf');
    const port = await serve(() => leaf);
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    expect(socket.getPeerX509Certificate()?.fingerprint256).toBe(leaf.chain[0]?.fingerprint);
    socket.destroy();
  });

  test('is absent when none is configured', () => {
    expect(forgeWith().own).toBeNull();
  });

  test('is refused with a message when it is unusable', () => {
    expect(() =>
      createLeafForge({ ...CERTIFICATES, own: { certificate: AUTHORITY.certificate, key: 'no key' } }),
    ).toThrow();
  });
});
