import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startChild, waitForPort } from '../child.ts';
import type { Peer, PeerSetting, RunningPeer } from './peer.ts';
import { which } from './which.ts';

/**
 * nginx as a reverse proxy with one worker, in one of its two modes: `off` is how the published tables ran it,
 * `on` (its default) is its faster one.
 */
export function nginxReverse(buffering: 'on' | 'off'): Peer {
  return {
    name: buffering === 'on' ? 'nginx' : 'nginx, proxy_buffering off',
    missing: () => (which('nginx') === null ? 'nginx is not installed' : null),
    start: (setting) => start(setting, buffering),
  };
}

async function start(setting: PeerSetting, buffering: 'on' | 'off'): Promise<RunningPeer> {
  const port = await freePort();
  const file = join(setting.folder, 'nginx.conf');
  mkdirSync(join(setting.folder, 'logs'), { recursive: true });
  writeFileSync(file, configuration(setting, port, buffering));
  const child = startChild(which('nginx') ?? 'nginx', ['-p', setting.folder, '-c', file], setting.cores);
  await waitForPort(port);
  return { child, port };
}

function configuration(setting: PeerSetting, port: number, buffering: 'on' | 'off'): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${join(setting.folder, name)};`)
    .join('\n');
  return `daemon off;
worker_processes 1;
pid ${join(setting.folder, 'nginx.pid')};
error_log ${join(setting.folder, 'logs', 'error.log')} warn;
events { worker_connections 8192; }
http {
${temporary}
  access_log off;
  keepalive_requests 1000000;
  upstream origin {
    server 127.0.0.1:${setting.originPlainPort};
    keepalive 256;
    keepalive_requests 1000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://origin;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering ${buffering};
    }
  }
}
`;
}
