import type { ProxyPlace } from '#contract';
import type { CommandRunner } from '../command-runner.ts';
import { failureText } from '../command-runner.ts';
import type { ProxyEntry, SystemProxyPlatform } from './system-proxy.ts';
import { parsePlace, SystemProxyError, valueOf, withValues, writeInTurn } from './system-proxy.ts';

const GROUP = ['--file', 'kioslaverc', '--group', 'Proxy Settings'];
/** Stands for a key that is not in the file. */
const UNSET = '(weir-unset)';
const NOT_FOUND = 127;

const DEFINITIONS: readonly Omit<ProxyEntry, 'value'>[] = [
  { key: 'httpProxy', label: 'HTTP proxy', role: 'endpoint' },
  { key: 'httpsProxy', label: 'HTTPS proxy', role: 'endpoint' },
  { key: 'socksProxy', label: 'SOCKS proxy', role: 'endpoint' },
  { key: 'NoProxyFor', label: 'Hosts without a proxy', role: 'detail' },
  { key: 'ReversedException', label: 'Proxy for the listed hosts only', role: 'detail' },
  { key: 'ProxyType', label: 'Proxy type (0 none, 1 manual)', role: 'switch' },
];

/** KDE Plasma 5 and 6, by `kreadconfig` and `kwriteconfig`. */
export function kdeSystemProxy(run: CommandRunner): SystemProxyPlatform {
  let version = '6';

  async function readKey(key: string): Promise<string> {
    const args = [...GROUP, '--key', key, '--default', UNSET];
    let outcome = await run(`kreadconfig${version}`, args);
    if (outcome.code === NOT_FOUND && version === '6') {
      version = '5';
      outcome = await run(`kreadconfig${version}`, args);
    }
    if (outcome.code === 0) {
      const value = outcome.stdout.replace(/\r?\n$/, '');
      return value === UNSET ? '' : value;
    }
    throw new SystemProxyError(
      'unreadable',
      `The proxy settings of KDE cannot be read (${failureText(`kreadconfig${version}`, outcome)}). Install kreadconfig (package libkf6config-bin or libkf5config-bin).`,
    );
  }

  return {
    name: 'KDE Plasma',
    async read() {
      const entries: ProxyEntry[] = [];
      // One after the other: the first finds out which version of the tools there is.
      for (const definition of DEFINITIONS) entries.push({ ...definition, value: await readKey(definition.key) });
      return entries;
    },
    plan(present, { proxy, bypass }) {
      return withValues(present, {
        httpProxy: endpointText('http', proxy),
        httpsProxy: endpointText('http', proxy),
        socksProxy: endpointText('socks', proxy),
        NoProxyFor: bypass.join(','),
        ReversedException: 'false',
        ProxyType: '1',
      });
    },
    planOff: (present) => withValues(present, { ProxyType: '0', httpProxy: '', httpsProxy: '', socksProxy: '' }),
    describe(snapshot) {
      const type = valueOf(snapshot, 'ProxyType');
      const read = (key: string): ProxyPlace | null => (type === '1' ? endpointOf(valueOf(snapshot, key)) : null);
      return {
        kind: type === '1' ? 'manual' : type === '2' || type === '3' ? 'automatic' : 'off',
        http: read('httpProxy'),
        https: read('httpsProxy'),
        socks: read('socksProxy'),
      };
    },
    async write(entries, onFailure) {
      const program = `kwriteconfig${version}`;
      const failures = await writeInTurn(entries, onFailure, async ({ key, value }) => {
        const outcome = await run(program, [...GROUP, '--key', key, ...(value === '' ? ['--delete'] : [value])]);
        return outcome.code === 0 ? null : failureText(program, outcome);
      });
      // Programs that run read the file again; without a bus none of them is there to hear it.
      const signal = ['--type=signal', '/KIO/Scheduler', 'org.kde.KIO.Scheduler.reparseSlaveConfiguration', 'string:'];
      await run('dbus-send', signal);
      return failures;
    },
  };
}

/** KDE writes host and port with a space between them. */
function endpointText(scheme: string, { host, port }: ProxyPlace): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host} ${port}`;
}

function endpointOf(text: string): ProxyPlace | null {
  return parsePlace(text.replace(/ (?=\d+$)/, ':'));
}
