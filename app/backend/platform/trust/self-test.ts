import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ProxyPlace } from '#contract';

const PATIENCE_MS = 10_000;

/**
 * Goes through the proxy to a page of ours over HTTPS and verifies the leaf against our authority alone: what a program
 * that trusts it would see.
 *
 * @param host that the proxy answers for itself @param authority PEM
 * @returns null when all is well, else what is wrong, for a person
 */
export function selfTest(proxy: ProxyPlace, host: string, authority: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: proxy.host, port: proxy.port });
    const end = (problem: string | null): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(PATIENCE_MS, () => {
      end('The proxy did not answer in time.');
    });
    socket.once('error', (error) => {
      end(`The proxy cannot be reached: ${error.message}.`);
    });
    socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n\r\n`);
    socket.once('data', (answer: Buffer) => {
      const line = answer.toString('latin1').split('\r\n')[0] ?? '';
      if (!/^HTTP\/1\.[01] 2\d\d/.test(line)) {
        end(`The proxy answered “${line}” instead of opening a tunnel.`);
        return;
      }
      const secure = connectTls({ socket, servername: host, ca: authority });
      secure.once('error', (error) => {
        end(`The leaf is not accepted with this authority: ${error.message}.`);
      });
      secure.once('secureConnect', () => {
        secure.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      });
      secure.once('data', (response: Buffer) => {
        const status = response.toString('latin1').slice(0, 15);
        end(/^HTTP\/1\.1 200/.test(status) ? null : `Weir’s own page answered “${status}”.`);
      });
    });
  });
}
