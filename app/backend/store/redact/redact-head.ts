import type { HeaderField, Redaction } from '#contract';
import { BLANK } from './redact-json.ts';

/** What kind of value was blanked. */
export type BlankedKind = 'headers' | 'cookies' | 'parameters';

/** Is told of each value that is blanked. @param leaves what stands there now */
export type Blanked = (kind: BlankedKind, name: string, leaves: string) => void;

/** Schemes of credentials (RFC 9110 §11): that a name stands in front says nothing secret. */
const SCHEME =
  /^(?:basic|bearer|digest|negotiate|ntlm|hoba|mutual|dpop|gnap|aws4-hmac-sha256|scram-sha-\d+|token|apikey)(?= )/i;

/** Applies a redaction to heads, URLs and forms. */
export class HeadRedactor {
  readonly #headers: ReadonlySet<string>;
  readonly #cookies: ReadonlySet<string>;
  readonly #parameters: ReadonlySet<string>;

  constructor({ headers, cookies, parameters }: Redaction) {
    this.#headers = lowerCased(headers);
    this.#cookies = lowerCased(cookies);
    this.#parameters = lowerCased(parameters);
  }

  get blanksParameters(): boolean {
    return this.#parameters.size > 0;
  }

  fields(fields: readonly HeaderField[], blanked: Blanked): HeaderField[] {
    return fields.map(([name, value]) => [name, this.value(name, value, blanked)]);
  }

  /** The value of a field, as it leaves. */
  value(name: string, value: string, blanked: Blanked): string {
    const lower = name.trim().toLowerCase();
    const whole = this.#headers.has(lower);
    if (lower === 'cookie') {
      return value
        .split(';')
        .map((pair) => this.#pair(pair, whole, blanked))
        .join(';');
    }
    if (lower === 'set-cookie') {
      const [pair = '', ...attributes] = value.split(';');
      return [this.#pair(pair, whole, blanked), ...attributes].join(';');
    }
    if (!whole) return this.url(value, blanked);
    if (value === '') return value;
    const scheme = /authorization$/.test(lower) ? SCHEME.exec(value)?.[0] : undefined;
    const leaves = scheme === undefined ? BLANK : `${scheme} ${BLANK}`;
    blanked('headers', name, leaves);
    return leaves;
  }

  /** A start line, a target, or a text that holds URLs: parameters, and the user in front of a host. */
  url(text: string, blanked: Blanked): string {
    const anonymous = text.replace(/(:\/\/)[^\s/?#@]+@/g, (_whole, slashes: string) => {
      blanked('parameters', 'user', `${BLANK}@`);
      return `${slashes}${BLANK}@`;
    });
    if (this.#parameters.size === 0 || !/[?#&]/.test(anonymous)) return anonymous;
    // A semicolon ends a value only where another parameter follows it.
    return anonymous.replace(
      /([?&#;])([^=&#;?\s]+)=((?:[^&#;\s]|;(?![^&#;=\s]+=))*)/g,
      (whole, before: string, name: string) =>
        this.#isMeant(name) ? `${before}${name}=${this.#parameter(name, blanked)}` : whole,
    );
  }

  /** A body of `name=value` pairs (application/x-www-form-urlencoded). */
  form(text: string, blanked: Blanked): string {
    return text.replace(/(^|&)([^=&]+)=([^&]*)/g, (whole, before: string, name: string) =>
      this.#isMeant(name) ? `${before}${name}=${this.#parameter(name, blanked)}` : whole,
    );
  }

  /** A head as its bytes on the wire, everything else as it was; see `parseHead`. */
  head(head: Buffer, blanked: Blanked, change: (fields: string[]) => string[] = (lines) => lines): Buffer {
    const text = head.toString('latin1');
    const last = /(\r?\n)\r?\n$/.exec(text);
    const end = last === null ? text.length : last.index + (last[1]?.length ?? 0);
    // A line that begins with white space goes on with the field above (RFC 9112 §5.2).
    const startEnd = text.startsWith(':') ? 0 : text.indexOf('\n') + 1 || end;
    const lines = [text.slice(0, startEnd), ...text.slice(startEnd, end).split(/(?<=\n)(?![ \t])/)];
    const written = lines.map((line, at) => {
      const ending = /\r?\n$/.exec(line)?.[0] ?? '';
      const content = line.slice(0, line.length - ending.length);
      if (at === 0) return this.url(content, blanked) + ending;
      const colon = content.indexOf(':', content.startsWith(':') ? 1 : 0);
      if (colon < 0) return line;
      const [, space = '', value = ''] = /^([ \t]*)(.*)$/s.exec(content.slice(colon + 1)) ?? [];
      const leaves = this.value(content.slice(0, colon), value, blanked);
      return `${content.slice(0, colon + 1)}${space}${leaves}${ending}`;
    });
    return Buffer.from(change(written).join('') + text.slice(end), 'latin1');
  }

  #pair(pair: string, whole: boolean, blanked: Blanked): string {
    const [, name = '', equals = ''] = /^([^=]*)(=?)/.exec(pair) ?? [];
    const lower = name.trim().toLowerCase();
    if (lower === '' && equals === '') return pair;
    if (!whole && !this.#cookies.has('*') && !this.#cookies.has(lower)) return pair;
    // Without an equals sign the whole is a value without a name.
    const leaves = equals === '' ? BLANK : `${name}=${BLANK}`;
    blanked('cookies', name.trim(), leaves.trim());
    return leaves;
  }

  #parameter(name: string, blanked: Blanked): string {
    blanked('parameters', name, `${name}=${BLANK}`);
    return BLANK;
  }

  #isMeant(name: string): boolean {
    return this.#parameters.has(name.toLowerCase()) || this.#parameters.has(decoded(name).toLowerCase());
  }
}

function lowerCased(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}
