import type { ProxyPlace } from '#contract';
import { splitCertificates } from '../system-roots.ts';
import type { CommandRunner } from '../command-runner.ts';
import { failureText } from '../command-runner.ts';
import { trustAuthority } from './trust-authority.ts';

/** Whether one program of this machine, as it is started without our help, accepts what comes through the proxy. */
export interface ProgramTrust {
  readonly name: string;
  readonly state: 'trusted' | 'absent' | 'missing' | 'unclear';
  /** What it said, when it is not clear. */
  readonly detail: string;
}

export interface ProgramTrustRequest {
  readonly proxy: ProxyPlace;
  /** A page over HTTPS that the proxy answers itself, with a leaf of ours. */
  readonly url: string;
  /** SHA-256 of our authority, upper-case hex with colons. */
  readonly fingerprint: string;
  readonly run: CommandRunner;
  /** The value of `JAVA_TOOL_OPTIONS`, which every Java obeys; empty when it is not set. */
  readonly javaOptions: string;
}

const NOT_FOUND = 127;
const CURL_NOT_TRUSTED = 60;

const PYTHON = `
import ssl, sys, urllib.error, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({'https': sys.argv[1]}))
try:
    opener.open(sys.argv[2], timeout=10).read()
    print('trusted')
except urllib.error.URLError as error:
    print('absent' if isinstance(error.reason, ssl.SSLCertVerificationError) else error)
`;

const NODE = `
const { hostname } = new URL(process.argv[2]);
const { connect } = require('node:net');
const proxy = new URL(process.argv[1]);
const socket = connect(Number(proxy.port), proxy.hostname.replace(/[\\[\\]]/g, ''));
socket.write('CONNECT ' + hostname + ':443 HTTP/1.1\\r\\nHost: ' + hostname + ':443\\r\\n\\r\\n');
socket.once('data', () => {
  const secure = require('node:tls').connect({ socket, servername: hostname });
  secure.once('secureConnect', () => { console.log('trusted'); process.exit(); });
  secure.once('error', (error) => { console.log(/CERT|SIGNATURE|ISSUER/.test(error.code) ? 'absent' : error.message); process.exit(); });
});
socket.once('error', (error) => { console.log(error.message); process.exit(); });
`;

/** Asks the programs themselves, one after the other, by a request through the proxy. Never throws. */
export async function examinePrograms(request: ProgramTrustRequest): Promise<ProgramTrust[]> {
  const { proxy, url, run } = request;
  const proxyUrl = `http://${proxy.host.includes(':') ? `[${proxy.host}]` : proxy.host}:${proxy.port}`;
  return [
    await examineCurl(run, proxyUrl, url),
    await examineByWord('Python', 'python3', ['-c', PYTHON, proxyUrl, url], run),
    await examineByWord('Node.js', 'node', ['-e', NODE, proxyUrl, url], run),
    await examineJava(request),
  ];
}

async function examineCurl(run: CommandRunner, proxyUrl: string, url: string): Promise<ProgramTrust> {
  const args = ['--silent', '--show-error', '--noproxy', '', '--max-time', '10', '--proxy', proxyUrl, '--fail', url];
  const outcome = await run('curl', args);
  if (outcome.code === NOT_FOUND) return { name: 'curl', state: 'missing', detail: '' };
  if (outcome.code === 0) return { name: 'curl', state: 'trusted', detail: '' };
  if (outcome.code === CURL_NOT_TRUSTED) return { name: 'curl', state: 'absent', detail: '' };
  return { name: 'curl', state: 'unclear', detail: failureText('curl', outcome) };
}

async function examineByWord(
  name: string,
  program: string,
  args: readonly string[],
  run: CommandRunner,
): Promise<ProgramTrust> {
  const outcome = await run(program, args);
  if (outcome.code === NOT_FOUND) return { name, state: 'missing', detail: '' };
  const word = outcome.stdout.trim();
  if (word === 'trusted' || word === 'absent') return { name, state: word, detail: '' };
  return { name, state: 'unclear', detail: word === '' ? failureText(program, outcome) : word };
}

/**
 * The list that Java's programs go by, as its own tool reads it: a request would need a compiler. `JAVA_TOOL_OPTIONS` may
 * put another one in place of its own.
 */
async function examineJava({ run, fingerprint, javaOptions }: ProgramTrustRequest): Promise<ProgramTrust> {
  const named = javaOption(javaOptions, 'javax.net.ssl.trustStore');
  const password = javaOption(javaOptions, 'javax.net.ssl.trustStorePassword') ?? 'changeit';
  const store = named === null ? ['-cacerts'] : ['-keystore', named];
  const detail = named === null ? '' : `JAVA_TOOL_OPTIONS names ${named}`;
  // By standard input: others of this machine can read arguments.
  const outcome = await run('keytool', ['-list', '-rfc', ...store], `${password}\n`);
  if (outcome.code === NOT_FOUND) return { name: 'Java', state: 'missing', detail: '' };
  if (outcome.code !== 0) return { name: 'Java', state: 'unclear', detail: failureText('keytool', outcome) };
  const found = splitCertificates(outcome.stdout).some((pem) => {
    try {
      return trustAuthority(pem, '').fingerprint === fingerprint;
    } catch {
      return false;
    }
  });
  return { name: 'Java', state: found ? 'trusted' : 'absent', detail };
}

/** The value of a system property among options; the last one counts. Quotes keep a word together. */
function javaOption(options: string, property: string): string | null {
  const words = options.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  const beginning = `-D${property}=`;
  const found = words.map((word) => word.replaceAll(/["']/g, '')).findLast((word) => word.startsWith(beginning));
  return found === undefined ? null : found.slice(beginning.length);
}
