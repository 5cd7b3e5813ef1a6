import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, startChild, waitForPort } from '../child.ts';
import { probed } from '../loop-delays.ts';
import { NODE_ENVIRONMENT } from '../programs.ts';
import type { ExplicitRole, Product, ProductSetting, RunningProduct } from './product.ts';
import { versionOf, which } from './which.ts';

/*
 * Proxies that open TLS, as explicit proxies that pass everything through and keep nothing. Those from npm are found in
 * the folder that `WEIR_BENCH_PEERS` names; they are never a dependency of the product.
 */

const PEERS_FOLDER = process.env['WEIR_BENCH_PEERS'] ?? '';

export const mitmproxy: Product = {
  id: 'mitmproxy',
  name: 'mitmproxy',
  isWeir: false,
  isControl: false,
  version: () => versionOf('mitmdump', '--version'),
  missing: () => (which('mitmdump') === null ? 'mitmdump is not installed (Debian: apt install mitmproxy)' : null),
  start: async (setting) => {
    const port = await freePort();
    const options = ['-q', '--listen-host', '127.0.0.1', '--listen-port', String(port), '--ssl-insecure'];
    options.push('--set', `confdir=${setting.folder}`);
    if (setting.role.kind === 'explicit' && setting.role.way === 'socks5') options.push('--mode', 'socks5');
    const child = startChild(which('mitmdump') ?? 'mitmdump', options, setting.cores);
    await waitForPort(port, child, 40_000);
    return { child, port };
  },
};

export const mockttp = npmProduct(
  'mockttp',
  join('mockttp', 'dist', 'main.js'),
  (entry) => `
import mockttp from ${JSON.stringify(entry)};
const https = await mockttp.generateCACertificate();
const server = mockttp.getLocal({ https, socks: true, recordTraffic: false });
await server.start();
await server.forUnmatchedRequest().thenPassThrough({ ignoreHostHttpsErrors: true });
process.stdout.write(JSON.stringify({ port: server.port }) + '\\n');
`,
);

export const httpMitmProxy = npmProduct(
  'http-mitm-proxy',
  join('http-mitm-proxy', 'dist', 'index.js'),
  (entry, setting) => `
import proxies from ${JSON.stringify(entry)};
const proxy = new proxies.Proxy();
proxy.onError(() => undefined);
proxy.onRequest((context, next) => { context.proxyToServerRequestOptions.rejectUnauthorized = false; next(); });
proxy.listen({ host: '127.0.0.1', port: 0, keepAlive: true, sslCaDir: ${JSON.stringify(join(setting.folder, 'ca'))} }, () => {
  process.stdout.write(JSON.stringify({ port: proxy.httpPort }) + '\\n');
});
`,
  (role) => {
    if (role.way === 'socks5') return 'Not possible: http-mitm-proxy speaks no SOCKS';
    if (role.origin === 'h2') return 'Not possible: http-mitm-proxy speaks no HTTP/2';
    return role.newNames
      ? 'Not possible: http-mitm-proxy makes a leaf for what is tunnelled to, not for the name in TLS'
      : null;
  },
);

/** @param impossible what the product cannot do at all, by role */
function npmProduct(
  name: string,
  entry: string,
  source: (entry: string, setting: ProductSetting) => string,
  impossible: (role: ExplicitRole) => string | null = () => null,
): Product {
  const file = join(PEERS_FOLDER, 'node_modules', entry);
  const isHere = (): boolean => PEERS_FOLDER !== '' && existsSync(file);
  return {
    id: name,
    name,
    isWeir: false,
    isControl: false,
    version: () => (isHere() ? versionFrom(join(PEERS_FOLDER, 'node_modules', name, 'package.json')) : null),
    missing: (role) => {
      if (!isHere()) {
        return `${name} is not installed (npm install ${name} in a folder of its own, and name that in WEIR_BENCH_PEERS)`;
      }
      return role?.kind === 'explicit' ? impossible(role) : null;
    },
    start: async (setting): Promise<RunningProduct> => {
      const program = join(setting.folder, `${name}.mjs`);
      writeFileSync(program, source(pathToFileURL(file).href, setting));
      const { args, env } = probed(setting.folder);
      const child = startChild(process.execPath, [...args, program], setting.cores, { ...NODE_ENVIRONMENT, ...env });
      const { port } = JSON.parse(await child.nextLine()) as { port: number };
      return { child, port };
    },
  };
}

function versionFrom(file: string): string | null {
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return typeof content === 'object' && content !== null && 'version' in content ? String(content.version) : null;
}
