import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startChild, waitForPort } from '../child.ts';
import type { Product, ProductSetting, Role, RunningProduct } from './product.ts';
import { versionOf, which } from './which.ts';

/** HAProxy with one thread, as a reverse proxy and a TCP relay. */
export const haproxy: Product = {
  id: 'haproxy',
  name: 'HAProxy',
  isWeir: false,
  isControl: false,
  version: () => versionOf('haproxy', '-v'),
  missing,
  start,
};

function missing(role?: Role): string | null {
  if (which('haproxy') === null) return 'HAProxy is not installed (Debian: apt install haproxy)';
  if (role?.kind === 'explicit') return 'Not possible: HAProxy opens no TLS that it tunnels';
  return role?.kind === 'udp' ? 'Not possible: HAProxy relays no datagrams' : null;
}

/** The origin's address and what is spoken to it; its certificate is verified, as by Weir. */
function serverOf({ role, origin, caFile }: ProductSetting): string {
  if (role.kind !== 'reverse') return `127.0.0.1:${String(origin.tcp)}`;
  const verified = `ssl verify required ca-file ${caFile} sni str(localhost) verifyhost localhost`;
  const speaks = { plain: '', tls: ` ${verified} alpn http/1.1`, h2c: ' proto h2', h2: ` ${verified} alpn h2` };
  return `127.0.0.1:${String(origin[role.origin])}${speaks[role.origin]}`;
}

async function start(setting: ProductSetting): Promise<RunningProduct> {
  const { role, folder } = setting;
  if (role.kind === 'explicit' || role.kind === 'udp') throw new Error('HAProxy has no such role.');
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  const pem = join(folder, 'certificate.pem');
  writeFileSync(pem, `${readFileSync(setting.certificateFile, 'utf8')}\n${readFileSync(setting.keyFile, 'utf8')}`, {
    mode: 0o600,
  });
  const isTcp = role.kind === 'tcp';
  const tls = !isTcp && role.tls ? ` ssl crt ${pem} alpn ${role.http2 ? 'h2,http/1.1' : 'http/1.1'}` : '';
  const plainHttp2 = !isTcp && !role.tls && role.http2 ? ' proto h2' : '';
  writeFileSync(
    file,
    `global
  nbthread 1
  no strict-limits
  maxconn 12000
defaults
  mode ${isTcp ? 'tcp' : 'http'}
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 60s
frontend in
  bind 127.0.0.1:${String(port)}${tls}${plainHttp2}
  default_backend origin
backend origin
  ${isTcp ? '' : 'http-reuse always'}
  server origin ${serverOf(setting)}
`,
  );
  const child = startChild(which('haproxy') ?? 'haproxy', ['-f', file, '-db'], setting.cores);
  await waitForPort(port, child);
  return { child, port };
}
