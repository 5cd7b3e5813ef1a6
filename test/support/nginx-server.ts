import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, waitForPort } from '../../bench/child.ts';
import { which } from '../../bench/products/which.ts';

/** Files whose stored bytes are already compressed. */
interface CodedPath {
  readonly path: string;
  readonly coding: string;
}

interface NginxOptions {
  /** Folder for configuration and temporary files. */
  readonly folder: string;
  /** Folder of the files that it serves. */
  readonly root: string;
  readonly certificate: { readonly certificateFile: string; readonly keyFile: string };
  readonly codings: readonly CodedPath[];
}

/** A real nginx that serves a folder, in plain and over TLS. */
export class NginxServer {
  readonly plainPort: number;
  readonly tlsPort: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, plainPort: number, tlsPort: number) {
    this.#child = child;
    this.plainPort = plainPort;
    this.tlsPort = tlsPort;
  }

  /** @throws when nginx is not installed; the message says how to install it */
  static async start(options: NginxOptions): Promise<NginxServer> {
    const program = which('nginx');
    if (program === null) throw new Error('This test needs nginx. On Debian: apt-get install nginx');
    const [plainPort, tlsPort] = [await freePort(), await freePort()];
    await mkdir(join(options.folder, 'logs'), { recursive: true });
    const file = join(options.folder, 'nginx.conf');
    await writeFile(file, configuration(options, plainPort, tlsPort));
    const child = spawn(program, ['-p', options.folder, '-c', file], { stdio: 'ignore' });
    await waitForPort(tlsPort);
    return new NginxServer(child, plainPort, tlsPort);
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

function configuration(options: NginxOptions, plainPort: number, tlsPort: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${join(options.folder, name)};`)
    .join('\n');
  const coded = options.codings
    .map(({ path, coding }) => `    location = ${path} { add_header Content-Encoding ${coding}; }`)
    .join('\n');
  return `daemon off;
worker_processes 1;
user root;
pid ${join(options.folder, 'nginx.pid')};
error_log ${join(options.folder, 'logs', 'error.log')} warn;
events { worker_connections 4096; }
http {
${temporary}
  access_log off;
  types {
    text/html html; text/css css; text/javascript js; application/json json; image/png png; font/woff2 woff2;
    application/octet-stream bin;
  }
  server {
    listen 127.0.0.1:${plainPort};
    listen 127.0.0.1:${tlsPort} ssl;
    ssl_certificate ${options.certificate.certificateFile};
    ssl_certificate_key ${options.certificate.keyFile};
    root ${options.root};
    client_max_body_size 0;
${coded}
  }
}
`;
}
