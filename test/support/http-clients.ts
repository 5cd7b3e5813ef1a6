import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A request that real programs are asked to make. */
export interface ClientRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** File whose bytes are the body, or null. */
  readonly bodyFile: string | null;
  /** Send the body in chunks, without a length. */
  readonly chunked: boolean;
  readonly http10: boolean;
  readonly followRedirects: boolean;
}

/** What the program got, as far as it tells. */
export interface ClientAnswer {
  readonly status: number;
  /** SHA-256 of the body, hex. */
  readonly bodyHash: string;
}

/** Where the program's traffic goes. */
export interface Route {
  /** `http://host:port` of the proxy; null goes straight to the origin. */
  readonly proxy: string | null;
  /** PEM file of the only authority that the program trusts. */
  readonly caFile: string;
  /** Folder for downloads. */
  readonly folder: string;
}

/** A real HTTP client program. */
export interface ClientProgram {
  readonly name: string;
  readonly can: (request: ClientRequest) => boolean;
  readonly run: (request: ClientRequest, route: Route) => Promise<ClientAnswer>;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function execute(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const clean = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_PROXY: '', no_proxy: '', ...env };
    execFile(command, args, { env: clean, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number')
        reject(new Error(`${command} did not run`, { cause: error }));
      else resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const proxyEnvironment = (route: Route): NodeJS.ProcessEnv =>
  route.proxy === null
    ? {}
    : { http_proxy: route.proxy, https_proxy: route.proxy, HTTP_PROXY: route.proxy, HTTPS_PROXY: route.proxy };

async function hashAndRemove(file: string): Promise<string> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  await rm(file, { force: true });
  return createHash('sha256').update(bytes).digest('hex');
}

let downloads = 0;
const downloadFile = (route: Route): string => join(route.folder, `download-${String((downloads += 1))}`);

const curl: ClientProgram = {
  name: 'curl',
  can: () => true,
  run: async (request, route) => {
    const file = downloadFile(route);
    const args = ['-s', '-S', '-o', file, '-w', '%{http_code}', '--cacert', route.caFile, '--noproxy', ''];
    if (request.http10) args.push('--http1.0');
    else args.push('--http1.1');
    if (request.method === 'HEAD') args.push('--head');
    else args.push('-X', request.method);
    if (request.followRedirects) args.push('-L');
    for (const [name, value] of request.headers) args.push('-H', `${name}: ${value}`);
    if (request.bodyFile !== null) args.push('--data-binary', `@${request.bodyFile}`);
    if (request.chunked) args.push('-H', 'Transfer-Encoding: chunked');
    const ended = await execute('curl', [...args, request.url], proxyEnvironment(route));
    if (ended.code !== 0) throw new Error(`curl ended with ${String(ended.code)}: ${ended.stderr}`);
    const bodyHash = await hashAndRemove(file);
    return { status: Number(ended.stdout), bodyHash: request.method === 'HEAD' ? '' : bodyHash };
  },
};

const wget: ClientProgram = {
  name: 'wget',
  can: (request) => !request.chunked && !request.http10 && !request.headers.some(([name]) => name === 'Expect'),
  run: async (request, route) => {
    const file = downloadFile(route);
    const args = [
      '-q',
      '-S',
      '-O',
      file,
      '--tries=1',
      `--ca-certificate=${route.caFile}`,
      `--method=${request.method}`,
      '--content-on-error',
    ];
    for (const [name, value] of request.headers) args.push(`--header=${name}: ${value}`);
    if (request.bodyFile !== null) args.push(`--body-file=${request.bodyFile}`);
    const ended = await execute('wget', [...args, request.url], proxyEnvironment(route));
    const statuses = [...ended.stderr.matchAll(/HTTP\/1\.\d (\d{3})/g)].map((match) => Number(match[1]));
    const bodyHash = await hashAndRemove(file);
    return { status: statuses.at(-1) ?? 0, bodyHash: request.method === 'HEAD' ? '' : bodyHash };
  },
};

const PYTHON_PROGRAM = `
import hashlib, http.client, json, ssl, sys, urllib.parse
request, proxy, ca = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
context = ssl.create_default_context(cafile=ca)
url = request['url']
if request['http10']:
    http.client.HTTPConnection._http_vsn, http.client.HTTPConnection._http_vsn_str = 10, 'HTTP/1.0'
for hop in range(5):
    parts = urllib.parse.urlsplit(url)
    secure = parts.scheme == 'https'
    target = parts.path + ('?' + parts.query if parts.query else '')
    if proxy:
        via = urllib.parse.urlsplit(proxy)
        if secure:
            connection = http.client.HTTPSConnection(via.hostname, via.port, context=context)
            connection.set_tunnel(parts.hostname, parts.port)
        else:
            connection, target = http.client.HTTPConnection(via.hostname, via.port), url
    else:
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(parts.hostname, parts.port, **({'context': context} if secure else {}))
    connection.putrequest(request['method'], target, skip_host=True, skip_accept_encoding=True)
    connection.putheader('Host', parts.netloc)
    for name, value in request['headers']:
        connection.putheader(name, value)
    body = open(request['bodyFile'], 'rb').read() if request['bodyFile'] else None
    if body is not None and request['chunked']:
        connection.putheader('Transfer-Encoding', 'chunked')
        connection.endheaders((body[i:i + 50000] for i in range(0, len(body), 50000)), encode_chunked=True)
    elif body is not None:
        connection.putheader('Content-Length', str(len(body)))
        connection.endheaders()
        if not any(name == 'Expect' for name, _ in request['headers']):
            connection.send(body)
    else:
        connection.endheaders()
    answer = connection.getresponse()
    data = answer.read()
    if answer.status == 302 and request['followRedirects']:
        url = urllib.parse.urljoin(url, answer.headers['Location'])
        continue
    print(json.dumps({'status': answer.status, 'bodyHash': '' if request['method'] == 'HEAD' else hashlib.sha256(data).hexdigest()}))
    break
`;

const python: ClientProgram = {
  name: "Python's http.client",
  can: () => true,
  run: async (request, route) => {
    const ended = await execute(
      'python3',
      ['-c', PYTHON_PROGRAM, JSON.stringify(request), route.proxy ?? '', route.caFile],
      {},
    );
    if (ended.code !== 0) throw new Error(`python3 ended with ${String(ended.code)}: ${ended.stderr}`);
    return JSON.parse(ended.stdout) as ClientAnswer;
  },
};

const FETCH_PROGRAM = `
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
const request = JSON.parse(process.argv[1]);
const body = request.bodyFile === null ? undefined
  : request.chunked ? Readable.toWeb(createReadStream(request.bodyFile)) : readFileSync(request.bodyFile);
const answer = await fetch(request.url, { method: request.method, headers: request.headers, body, duplex: 'half',
  redirect: request.followRedirects ? 'follow' : 'manual' });
const data = Buffer.from(await answer.arrayBuffer());
console.log(JSON.stringify({ status: answer.status,
  bodyHash: request.method === 'HEAD' ? '' : createHash('sha256').update(data).digest('hex') }));
`;

const nodeFetch: ClientProgram = {
  name: "Node's fetch",
  can: (request) => !request.http10 && !request.headers.some(([name]) => name === 'Expect'),
  run: async (request, route) => {
    const env = {
      ...proxyEnvironment(route),
      NODE_EXTRA_CA_CERTS: route.caFile,
      NODE_USE_ENV_PROXY: '1',
      NODE_NO_WARNINGS: '1',
    };
    const ended = await execute(
      process.execPath,
      ['--input-type=module', '-e', FETCH_PROGRAM, JSON.stringify(request)],
      env,
    );
    if (ended.code !== 0) throw new Error(`node ended with ${String(ended.code)}: ${ended.stderr}`);
    return JSON.parse(ended.stdout) as ClientAnswer;
  },
};

/** The programs that every request is made with. */
export const CLIENT_PROGRAMS: readonly ClientProgram[] = [curl, nodeFetch, python, wget];
