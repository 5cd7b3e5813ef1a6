import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { GeneratorPlan } from '../workload.ts';

/**
 * A connection for a plan: straight to the product or through its CONNECT, then TLS where the workload wants it.
 *
 * @throws when the product refuses
 */
export async function openConnection(plan: GeneratorPlan, protocol: 'http/1.1' | 'h2'): Promise<Socket> {
  const raw = connect({ host: '127.0.0.1', port: plan.port, noDelay: true });
  await once(raw, 'connect');
  if (plan.connectTo !== null) {
    raw.write(`CONNECT ${plan.connectTo} HTTP/1.1\r\nHost: ${plan.connectTo}\r\n\r\n`);
    const [answer] = (await once(raw, 'data')) as [Buffer];
    if (!/^HTTP\/1\.[01] 200/.test(answer.toString('latin1'))) throw new Error(answer.toString('latin1'));
  }
  if (!plan.workload.tls) return raw;
  // Nobody is deceived here: what is measured is the work, whoever signed the certificate.
  const secure = connectTls({
    socket: raw,
    servername: 'localhost',
    rejectUnauthorized: false,
    ALPNProtocols: [protocol],
  });
  await once(secure, 'secureConnect');
  if (protocol === 'h2' && secure.alpnProtocol !== 'h2') throw new Error('The product does not offer HTTP/2.');
  return secure;
}
