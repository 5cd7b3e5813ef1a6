import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { NEW_NAMES_DOMAIN } from '../origin-names.ts';
import type { GeneratorPlan } from '../workload.ts';

/** Names of this process are its own, also where another one ran before. */
const OWN = randomBytes(6).toString('hex');
let names = 0;

/**
 * A connection for a plan: straight to the product or through its tunnel, then TLS where the workload wants it.
 *
 * @throws when the product refuses
 */
export async function openConnection(plan: GeneratorPlan, protocol: 'http/1.1' | 'h2'): Promise<Socket> {
  const { way, workload, port } = plan;
  const raw = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(raw, 'connect');
  if (way.kind === 'connect') await askConnect(raw, way.origin);
  else if (way.kind === 'socks5') await askSocks5(raw, way.origin);
  if (!workload.tls) return raw;
  // Nobody is deceived here: what is measured is the work, whoever signed the certificate.
  const secure = connectTls({
    socket: raw,
    servername: workload.newNames ? `${OWN}-${String((names += 1))}.${NEW_NAMES_DOMAIN}` : 'localhost',
    rejectUnauthorized: false,
    ALPNProtocols: [protocol],
  });
  await once(secure, 'secureConnect');
  if (protocol === 'h2' && secure.alpnProtocol !== 'h2') throw new Error('The product does not offer HTTP/2.');
  return secure;
}

async function askConnect(raw: Socket, origin: string): Promise<void> {
  raw.write(`CONNECT ${origin} HTTP/1.1\r\nHost: ${origin}\r\n\r\n`);
  const [answer] = (await once(raw, 'data')) as [Buffer];
  if (!/^HTTP\/1\.[01] 200/.test(answer.toString('latin1'))) throw new Error(answer.toString('latin1'));
}

/** CONNECT by name, without credentials (RFC 1928 §3, §4). */
async function askSocks5(raw: Socket, origin: string): Promise<void> {
  const colon = origin.lastIndexOf(':');
  const name = Buffer.from(origin.slice(0, colon));
  const port = Number(origin.slice(colon + 1));
  raw.write(Buffer.of(5, 1, 0));
  const [method] = (await once(raw, 'data')) as [Buffer];
  if (method[1] !== 0) throw new Error('The product wants credentials for SOCKS 5.');
  raw.write(Buffer.concat([Buffer.of(5, 1, 0, 3, name.length), name, Buffer.of(port >> 8, port & 0xff)]));
  const [reply] = (await once(raw, 'data')) as [Buffer];
  if (reply[1] !== 0) throw new Error(`The product refused by SOCKS 5, reply ${String(reply[1])}.`);
}
