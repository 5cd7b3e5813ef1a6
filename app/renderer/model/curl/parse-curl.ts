import type { HeaderField } from '#contract';
import { multipartBody, type FormPart } from './multipart.ts';
import { FLAGS, IGNORED_WITH_VALUE, LONG_NAMES } from './curl-options.ts';
import { shellWords, ShellSyntaxError } from './shell-words.ts';

/** A request that a cURL command describes. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** Values as bytes in latin1, as on the wire. */
  readonly headers: readonly HeaderField[];
  readonly body: Uint8Array;
  readonly version: 'auto' | 'http/1.1' | 'h2';
  readonly followRedirects: boolean;
  /** What the command says and a request cannot hold; for a person. */
  readonly notes: readonly string[];
}

/** A text that is no cURL command. */
export class CurlSyntaxError extends Error {
  override readonly name = 'CurlSyntaxError';
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Reads a command of curl as shells and browsers write it.
 *
 * @throws CurlSyntaxError
 */
export function parseCurl(command: string): CurlRequest {
  const words = readWords(command);
  const [program, ...args] = words;
  if (program === undefined || !/(?:^|[\\/])curl(?:\.exe)?$/.test(textOf(program))) {
    throw new CurlSyntaxError('This is no cURL command: it does not begin with curl.');
  }
  const reader = new CurlReader();
  reader.read(args);
  return reader.request();
}

function readWords(command: string): readonly Uint8Array[] {
  try {
    // A prompt that was copied along.
    return shellWords(command.trim().replace(/^[$%>#]\s+/, ''));
  } catch (error: unknown) {
    if (error instanceof ShellSyntaxError) throw new CurlSyntaxError(error.message, { cause: error });
    throw error;
  }
}

class CurlReader {
  #method: string | null = null;
  readonly #urls: string[] = [];
  #headers: HeaderField[] = [];
  readonly #removed = new Set<string>();
  readonly #data: Uint8Array[] = [];
  readonly #parts: FormPart[] = [];
  #json = false;
  #get = false;
  #head = false;
  #compressed = false;
  #version: CurlRequest['version'] = 'auto';
  #follow = false;
  readonly #notes: string[] = [];

  read(args: readonly Uint8Array[]): void {
    for (let at = 0; at < args.length; at += 1) {
      const word = args[at];
      if (word === undefined) continue;
      const text = textOf(word);
      const value = (): Uint8Array => {
        at += 1;
        const next = args[at];
        if (next === undefined) throw new CurlSyntaxError(`${text} wants a value behind it.`);
        return next;
      };
      if (text.startsWith('--') && text.length > 2) this.#long(text, value);
      else if (text.startsWith('-') && text.length > 1) this.#short(word, value);
      else this.#urls.push(text);
    }
  }

  request(): CurlRequest {
    const [written, ...others] = this.#urls;
    if (written === undefined) throw new CurlSyntaxError('The command names no URL.');
    if (others.length > 0) this.#notes.push(`Only the first URL was taken; left out: ${others.join(', ')}.`);
    let url = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`;
    if (!/^https?:/i.test(url)) throw new CurlSyntaxError(`${url} is no http or https URL.`);
    const data = joined(this.#data, this.#json ? '' : '&');
    let body: Uint8Array = new Uint8Array(0);
    if (this.#get && data.length > 0) url = withQuery(url, textOf(data));
    else if (this.#parts.length > 0) body = this.#form();
    else body = data;
    const sendsData = !this.#get && (this.#data.length > 0 || this.#parts.length > 0);
    if (sendsData && this.#parts.length === 0) {
      this.#default('Content-Type', this.#json ? 'application/json' : FORM_TYPE);
      if (this.#json) this.#default('Accept', 'application/json');
    }
    if (this.#compressed) this.#default('Accept-Encoding', 'deflate, gzip, br, zstd');
    const method = this.#method ?? (this.#head ? 'HEAD' : sendsData ? 'POST' : 'GET');
    return {
      method,
      url,
      headers: this.#headers,
      body,
      version: this.#version,
      followRedirects: this.#follow,
      notes: this.#notes,
    };
  }

  #long(text: string, value: () => Uint8Array): void {
    const name = text.slice(2);
    const positive = name.replace(/^no-/, '');
    if (LONG_NAMES[name] !== undefined) this.#option(LONG_NAMES[name], value);
    else if (FLAGS.has(positive)) return;
    else if (IGNORED_WITH_VALUE.has(name)) this.#ignore(text, value());
    else if (/^(?:http1\.[01]|http2|http2-prior-knowledge|http3)$/.test(name)) {
      this.#version = name.startsWith('http1') ? 'http/1.1' : 'h2';
      if (name === 'http3') this.#notes.push('HTTP/3 is not spoken yet; HTTP/2 is used.');
    } else this.#option(name, value, text);
  }

  /** Flags may stand together, and a value may follow its letter at once: `-sXPOST`. */
  #short(word: Uint8Array, value: () => Uint8Array): void {
    for (let at = 1; at < word.length; at += 1) {
      const letter = String.fromCharCode(word[at] ?? 0);
      const rest = word.subarray(at + 1);
      const name = SHORT_NAMES[letter];
      if (name === undefined) continue;
      if (VALUELESS.has(name)) {
        this.#option(name, value);
        continue;
      }
      const given = rest.length > 0 ? (): Uint8Array => rest : value;
      if (IGNORED_WITH_VALUE.has(name)) this.#ignore(`-${letter}`, given());
      else this.#option(name, given);
      return;
    }
  }

  #option(name: string, value: () => Uint8Array, written = `--${name}`): void {
    switch (name) {
      case 'request':
        this.#method = textOf(value());
        break;
      case 'url':
        this.#urls.push(textOf(value()));
        break;
      case 'header':
        this.#header(value());
        break;
      case 'user-agent':
        this.#set('User-Agent', latin1(value()));
        break;
      case 'referer':
        this.#set('Referer', latin1(value()).replace(/;auto$/, ''));
        break;
      case 'cookie':
        this.#cookie(value());
        break;
      case 'user':
        this.#set('Authorization', `Basic ${base64(value())}`);
        break;
      case 'oauth2-bearer':
        this.#set('Authorization', `Bearer ${latin1(value())}`);
        break;
      case 'range':
        this.#set('Range', `bytes=${latin1(value())}`);
        break;
      case 'data':
      case 'data-binary':
        this.#addData(value());
        break;
      case 'data-raw':
        this.#data.push(value());
        break;
      case 'data-urlencode':
        this.#data.push(bytesOf(urlEncoded(textOf(value()))));
        break;
      case 'json':
        this.#json = true;
        this.#addData(value());
        break;
      case 'form':
        this.#addPart(value(), true);
        break;
      case 'form-string':
        this.#addPart(value(), false);
        break;
      case 'get':
        this.#get = true;
        break;
      case 'head':
        this.#head = true;
        break;
      case 'location':
        this.#follow = true;
        break;
      case 'compressed':
        this.#compressed = true;
        break;
      case 'http1.0':
        this.#version = 'http/1.1';
        break;
      default:
        if (!FLAGS.has(name)) throw new CurlSyntaxError(`The option ${written} is not known here.`);
    }
  }

  #header(line: Uint8Array): void {
    const text = latin1(line);
    if (text.startsWith('@')) {
      this.#notes.push(`The header fields of the file ${text.slice(1)} are not there.`);
      return;
    }
    const colon = text.indexOf(':');
    if (colon < 0) {
      // `Name;` is a field without a value.
      if (text.endsWith(';')) this.#headers.push([text.slice(0, -1).trim(), '']);
      return;
    }
    const [name, value] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
    // `Name:` takes a field away that curl would add.
    if (value === '') this.#removed.add(name.toLowerCase());
    else this.#headers.push([name, value]);
  }

  #cookie(word: Uint8Array): void {
    const text = latin1(word);
    if (text.includes('=')) this.#headers.push(['Cookie', text]);
    else this.#notes.push(`The cookies of the file ${text} are not there.`);
  }

  #addData(word: Uint8Array): void {
    const text = latin1(word);
    if (text.startsWith('@')) this.#notes.push(`The body is in the file ${text.slice(1)}; paste it here.`);
    else this.#data.push(word);
  }

  #addPart(word: Uint8Array, readsFiles: boolean): void {
    const text = latin1(word);
    const equals = text.indexOf('=');
    if (equals < 0) throw new CurlSyntaxError(`A form part wants NAME=VALUE, not ${JSON.stringify(text)}.`);
    const name = text.slice(0, equals);
    const value = text.slice(equals + 1);
    if (!readsFiles) {
      this.#parts.push({ name, value, fileName: null, type: null });
      return;
    }
    const [content = '', ...settings] = value.split(';');
    const setting = (key: string): string | null =>
      settings
        .find((one) => one.trim().startsWith(`${key}=`))
        ?.trim()
        .slice(key.length + 1)
        .replace(/^"(.*)"$/, '$1') ?? null;
    const file = /^[@<](.*)$/s.exec(content)?.[1]?.replace(/^"(.*)"$/, '$1');
    if (file === undefined) {
      const known = settings.every((one) => /^\s*(?:type|filename|headers|encoder)=/.test(one));
      this.#parts.push({ name, value: known ? content : value, fileName: setting('filename'), type: setting('type') });
      return;
    }
    this.#notes.push(`The part ${name} is the file ${file}; paste its contents.`);
    const fileName = content.startsWith('<') ? null : (setting('filename') ?? file.replace(/^.*[\\/]/, ''));
    this.#parts.push({ name, value: '', fileName, type: setting('type') ?? 'application/octet-stream' });
  }

  #form(): Uint8Array {
    const { body, contentType } = multipartBody(this.#parts);
    this.#headers = this.#headers.filter(([name]) => name.toLowerCase() !== 'content-type');
    this.#headers.push(['Content-Type', contentType]);
    return body;
  }

  #set(name: string, value: string): void {
    this.#headers.push([name, value]);
  }

  #default(name: string, value: string): void {
    const lower = name.toLowerCase();
    if (this.#removed.has(lower) || this.#headers.some(([other]) => other.toLowerCase() === lower)) return;
    this.#headers.push([name, value]);
  }

  #ignore(option: string, value: Uint8Array): void {
    this.#notes.push(`${option} ${textOf(value)} says nothing about the request and was left out.`);
  }
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  X: 'request',
  H: 'header',
  A: 'user-agent',
  e: 'referer',
  b: 'cookie',
  u: 'user',
  r: 'range',
  d: 'data',
  F: 'form',
  G: 'get',
  I: 'head',
  L: 'location',
  o: 'output',
  x: 'proxy',
  m: 'max-time',
  w: 'write-out',
  c: 'cookie-jar',
  E: 'cert',
  T: 'upload-file',
  D: 'dump-header',
  K: 'config',
  U: 'proxy-user',
  y: 'speed-time',
  Y: 'speed-limit',
  z: 'time-cond',
  C: 'continue-at',
  t: 'telnet-option',
  Q: 'quote',
  P: 'ftp-port',
};
const VALUELESS: ReadonlySet<string> = new Set(['get', 'head', 'location']);

function withQuery(url: string, query: string): string {
  const hash = url.indexOf('#');
  const base = hash < 0 ? url : url.slice(0, hash);
  return `${base}${base.includes('?') ? '&' : '?'}${query}`;
}

/** `content`, `=content`, `name=content`: the content is encoded (curl(1), --data-urlencode). */
function urlEncoded(text: string): string {
  const equals = text.indexOf('=');
  if (equals < 0) return encodeURIComponent(text);
  const encoded = encodeURIComponent(text.slice(equals + 1));
  return equals === 0 ? encoded : `${text.slice(0, equals)}=${encoded}`;
}

function joined(pieces: readonly Uint8Array[], separator: string): Uint8Array {
  const bytes: number[] = [];
  pieces.forEach((piece, index) => {
    if (index > 0) bytes.push(...bytesOf(separator));
    for (const byte of piece) bytes.push(byte);
  });
  return Uint8Array.from(bytes);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function base64(bytes: Uint8Array): string {
  return btoa(latin1(bytes));
}
