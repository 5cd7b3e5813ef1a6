import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort, startChild, waitForPort } from '../child.ts';
import type { Product, ProductSetting, Role, RunningProduct } from './product.ts';
import { versionOf, which } from './which.ts';

/** Where distributions keep the module that relays TCP and UDP. */
const STREAM_MODULES = ['/usr/lib/nginx/modules/ngx_stream_module.so', '/usr/lib64/nginx/modules/ngx_stream_module.so'];

/**
 * nginx with one worker, in one of its two modes: `off` is how published tables ran it, `on` (its default) is its
 * faster one.
 */
export function nginx(buffering: 'on' | 'off'): Product {
  return {
    id: buffering === 'on' ? 'nginx' : 'nginx-unbuffered',
    name: buffering === 'on' ? 'nginx' : 'nginx, proxy_buffering off',
    isWeir: false,
    isControl: false,
    version: () => versionOf('nginx', '-v'),
    missing,
    start: (setting) => start(setting, buffering),
  };
}

function missing(role?: Role): string | null {
  if (which('nginx') === null) return 'nginx is not installed (Debian: apt install nginx)';
  if ((role?.kind === 'tcp' || role?.kind === 'udp') && !STREAM_MODULES.some((path) => existsSync(path))) {
    return 'nginx has no stream module here (Debian: apt install libnginx-mod-stream)';
  }
  if (role?.kind === 'explicit') return 'Not possible: nginx opens no TLS that it tunnels';
  if (role?.kind === 'reverse' && (role.origin === 'h2c' || role.origin === 'h2') && !role.grpc) {
    return 'Not possible: nginx speaks HTTP/2 to origins only for gRPC';
  }
  return null;
}

async function start(setting: ProductSetting, buffering: 'on' | 'off'): Promise<RunningProduct> {
  const port = await freePort();
  const { folder, role } = setting;
  const file = join(folder, 'nginx.conf');
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const body =
    role.kind === 'tcp' || role.kind === 'udp' ? streamBlock(setting, port) : httpBlock(setting, port, buffering);
  writeFileSync(
    file,
    `${loadStreamModule(setting)}${ownUser()}daemon off;
worker_processes 1;
worker_rlimit_nofile 65536;
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'logs', 'error.log')} warn;
events { worker_connections 32768; }
${body}`,
  );
  const child = startChild(which('nginx') ?? 'nginx', ['-p', folder, '-c', file], setting.cores);
  if (role.kind === 'udp') await new Promise((resolve) => setTimeout(resolve, 500));
  else await waitForPort(port, child);
  return { child, port };
}

/** Started by root, workers would become a user that cannot write what they buffer into the folder of this run. */
function ownUser(): string {
  return process.getuid?.() === 0 ? `user ${userInfo().username};\n` : '';
}

/** The module that relays is loaded where the distribution keeps it apart. */
function loadStreamModule({ role }: ProductSetting): string {
  const module = STREAM_MODULES.find((path) => existsSync(path));
  return module !== undefined && (role.kind === 'tcp' || role.kind === 'udp') ? `load_module ${module};\n` : '';
}

function streamBlock({ role, origin }: ProductSetting, port: number): string {
  const udp = role.kind === 'udp';
  return `stream {
  server {
    listen 127.0.0.1:${String(port)}${udp ? ' udp' : ''};
    proxy_pass 127.0.0.1:${String(udp ? origin.udp : origin.tcp)};
  }
}
`;
}

function httpBlock(setting: ProductSetting, port: number, buffering: 'on' | 'off'): string {
  const { folder, role, origin } = setting;
  if (role.kind !== 'reverse') throw new Error('nginx does not open TLS as a forward proxy.');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${join(folder, name)};`)
    .join('\n');
  const isTls = role.origin === 'tls' || role.origin === 'h2';
  const verified = (module: 'proxy' | 'grpc'): string =>
    isTls
      ? ['ssl_verify on', `ssl_trusted_certificate ${setting.caFile}`, 'ssl_name localhost', 'ssl_server_name on']
          .map((directive) => `${module}_${directive};`)
          .join('\n      ')
      : '';
  const listen = `listen 127.0.0.1:${String(port)}${role.tls ? ' ssl' : ''}${role.http2 ? ' http2' : ''};`;
  const location = role.grpc
    ? `grpc_pass grpc${isTls ? 's' : ''}://origin;
      ${verified('grpc')}`
    : `proxy_pass http${isTls ? 's' : ''}://origin;
      ${verified('proxy')}
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_buffering ${buffering};`;
  return `http {
${temporary}
  access_log off;
  keepalive_requests 1000000;
  keepalive_timeout 600s;
  client_max_body_size 64m;
  client_body_buffer_size 256k;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  upstream origin {
    server 127.0.0.1:${String(origin[role.origin])};
    keepalive 256;
    keepalive_requests 1000000;
  }
  server {
    ${listen}
    http2_max_concurrent_streams 1000;
    ssl_certificate ${setting.certificateFile};
    ssl_certificate_key ${setting.keyFile};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:s:10m;
    location / {
      ${location}
    }
  }
}
`;
}
