import type { PresentSystemProxy } from '#contract';
import type { CommandRunner } from '../command-runner.ts';
import { failureText } from '../command-runner.ts';
import type { ProxyEntry, ProxySnapshot, SystemProxyPlatform, WriteFailure } from './system-proxy.ts';
import { parsePlace, placeText, SystemProxyError, valueOf, withValues, writeInTurn } from './system-proxy.ts';

const SCHEMA = 'org.gnome.system.proxy';

/** A setting that is one key of a schema, or host and port of a child schema taken as one. */
type Definition = Omit<ProxyEntry, 'value'> & {
  /** Keys, with what the schema itself says where nobody has set anything. */
  readonly keys: readonly (readonly [schema: string, key: string, unset: string])[];
};

const place = (kind: string, label: string, port: number): Definition => ({
  key: kind,
  label,
  role: 'endpoint',
  keys: [
    [`${SCHEMA}.${kind}`, 'host', "''"],
    [`${SCHEMA}.${kind}`, 'port', String(port)],
  ],
});

const DEFINITIONS: readonly Definition[] = [
  place('http', 'HTTP proxy', 8080),
  place('https', 'HTTPS proxy', 0),
  place('socks', 'SOCKS proxy', 0),
  {
    key: 'authentication',
    label: 'Sign in at the HTTP proxy',
    role: 'detail',
    keys: [[`${SCHEMA}.http`, 'use-authentication', 'false']],
  },
  {
    key: 'bypass',
    label: 'Hosts without a proxy',
    role: 'detail',
    keys: [[SCHEMA, 'ignore-hosts', "['localhost', '127.0.0.0/8', '::1']"]],
  },
  { key: 'mode', label: 'Proxy mode', role: 'switch', keys: [[SCHEMA, 'mode', "'none'"]] },
];

/** GNOME and the desktops that share its settings (Unity, Budgie, Cinnamon, MATE, Pantheon), by `gsettings`. */
export function gnomeSystemProxy(run: CommandRunner): SystemProxyPlatform {
  async function readAll(): Promise<ReadonlyMap<string, string>> {
    const outcome = await run('gsettings', ['list-recursively', SCHEMA]);
    const values = new Map<string, string>();
    for (const [, schema, key, value] of outcome.stdout.matchAll(/^(\S+) (\S+) (.*)$/gm)) {
      values.set(`${schema ?? ''} ${key ?? ''}`, value ?? '');
    }
    if (outcome.code === 0 && values.has(`${SCHEMA} mode`)) return values;
    throw new SystemProxyError(
      'unreadable',
      `The proxy settings of GNOME cannot be read (${failureText('gsettings', outcome)}). Install the packages libglib2.0-bin and gsettings-desktop-schemas, and run Weir inside the desktop session.`,
    );
  }

  async function writeKey(schema: string, key: string, value: string, unset: string): Promise<string | null> {
    // What was never set is put back to unset, so that nothing is left in the user's database.
    const args = value === unset ? ['reset', schema, key] : ['set', schema, key, value];
    const outcome = await run('gsettings', args);
    return outcome.code === 0 ? null : failureText('gsettings', outcome);
  }

  return {
    name: 'GNOME',
    async read() {
      const values = await readAll();
      return DEFINITIONS.map(({ keys, ...entry }) => ({ ...entry, value: valueFrom(values, keys) }));
    },
    plan(present, { proxy, bypass }) {
      return withValues(present, {
        http: placeText(proxy),
        https: placeText(proxy),
        socks: placeText(proxy),
        authentication: 'false',
        bypass: `[${bypass.map(variantText).join(', ')}]`,
        mode: "'manual'",
      });
    },
    planOff: (present) => withValues(present, { mode: "'none'", http: '', https: '', socks: '' }),
    describe,
    async write(entries, onFailure): Promise<WriteFailure[]> {
      const writeOne = async (entry: ProxyEntry): Promise<string | null> => {
        const keys = keysOf(entry).map(([schema, key, value, unset]) => writeKey(schema, key, value, unset));
        return (await Promise.all(keys)).find((reason) => reason !== null) ?? null;
      };
      const isSwitch = ({ role }: ProxyEntry): boolean => role === 'switch';
      const failures =
        onFailure === 'stop'
          ? await writeInTurn(entries, onFailure, writeOne)
          : [
              // On the way back every moment counts: the switch first, then all others at once.
              ...(await writeInTurn(entries.filter(isSwitch), onFailure, writeOne)),
              ...(await writeTogether(
                entries.filter((entry) => !isSwitch(entry)),
                writeOne,
              )),
            ];
      if (failures.length > 0) return failures;
      // A distribution may have changed what "unset" means; then the value is written out.
      const values = await readAll();
      return writeInTurn(entries, onFailure, async (entry) => {
        for (const [schema, key, value, unset] of keysOf(entry)) {
          if (value !== unset || values.get(`${schema} ${key}`) === value) continue;
          const outcome = await run('gsettings', ['set', schema, key, value]);
          if (outcome.code !== 0) return failureText('gsettings', outcome);
        }
        return null;
      });
    },
  };
}

async function writeTogether(
  entries: readonly ProxyEntry[],
  writeOne: (entry: ProxyEntry) => Promise<string | null>,
): Promise<WriteFailure[]> {
  const reasons = await Promise.all(entries.map(writeOne));
  return entries.flatMap((entry, index) => {
    const reason = reasons[index] ?? null;
    return reason === null ? [] : [{ entry, reason }];
  });
}

function valueFrom(values: ReadonlyMap<string, string>, keys: Definition['keys']): string {
  const [first = '', port] = keys.map(([schema, key, unset]) => values.get(`${schema} ${key}`) ?? unset);
  if (port === undefined) return first;
  const host = variantString(first);
  return host === '' ? '' : placeText({ host, port: Number(port) });
}

function keysOf(entry: ProxyEntry): (readonly [schema: string, key: string, value: string, unset: string])[] {
  const keys = DEFINITIONS.find(({ key }) => key === entry.key)?.keys ?? [];
  if (keys.length < 2) return keys.map(([schema, key, unset]) => [schema, key, entry.value || unset, unset]);
  const proxy = parsePlace(entry.value);
  const parts = proxy === null ? [] : [variantText(proxy.host), String(proxy.port)];
  return keys.map(([schema, key, unset], index) => [schema, key, parts[index] ?? unset, unset]);
}

function describe(snapshot: ProxySnapshot): PresentSystemProxy {
  const mode = variantString(valueOf(snapshot, 'mode'));
  const manual = mode === 'manual';
  return {
    kind: mode === 'auto' ? 'automatic' : manual ? 'manual' : 'off',
    http: manual ? parsePlace(valueOf(snapshot, 'http')) : null,
    https: manual ? parsePlace(valueOf(snapshot, 'https')) : null,
    socks: manual ? parsePlace(valueOf(snapshot, 'socks')) : null,
  };
}

/** A string as GVariant text, which is what `gsettings` takes and gives. */
function variantText(text: string): string {
  return `'${text.replace(/['\\]/g, String.raw`\$&`)}'`;
}

function variantString(text: string): string {
  const quoted = /^(['"])(.*)\1$/.exec(text)?.[2];
  return quoted === undefined ? text : quoted.replace(/\\(.)/g, '$1');
}
