import type { ProxyPlace } from '#contract';
import type { CommandOutcome, CommandRunner } from '../command-runner.ts';
import { failureText } from '../command-runner.ts';
import { shellQuoted } from '../shell-word.ts';
import type { ProxyEntry, ProxySnapshot, SystemProxyPlatform, WriteFailure } from './system-proxy.ts';
import { parsePlace, placeText, SystemProxyError, valueOf, writeInTurn } from './system-proxy.ts';

const TOOL = '/usr/sbin/networksetup';

/** Kinds of proxy as `networksetup` names them in its options. */
const PLACES = [
  { kind: 'webproxy', label: 'web proxy (HTTP)' },
  { kind: 'securewebproxy', label: 'secure web proxy (HTTPS)' },
  { kind: 'socksfirewallproxy', label: 'SOCKS proxy' },
] as const;

/** Lists and names as the tool says them when they are empty. */
const NOTHING = /^There aren't any|^\(null\)$|^Empty$/i;
const NOT_ALLOWED = /requires admin privileges|must be run as root|not authorized|AuthorizationCreate/i;

/** macOS: every network service that is switched on, by `networksetup`. */
export function macosSystemProxy(run: CommandRunner): SystemProxyPlatform {
  async function ask(args: readonly string[]): Promise<string> {
    const outcome = await run(TOOL, args);
    if (outcome.code === 0) return outcome.stdout;
    throw new SystemProxyError(
      'unreadable',
      `The proxy settings of macOS cannot be read (${failureText('networksetup', outcome)}).`,
    );
  }

  async function readService(service: string): Promise<ProxyEntry[]> {
    const entry = (key: string, label: string, role: ProxyEntry['role'], value: string): ProxyEntry => ({
      key: `${service}/${key}`,
      label: `${service}: ${label}`,
      role,
      value,
    });
    const entries: ProxyEntry[] = [];
    for (const { kind, label } of PLACES) {
      entries.push(entry(kind, label, 'endpoint', placeValue(await ask([`-get${kind}`, service]))));
    }
    const script = await ask(['-getautoproxyurl', service]);
    entries.push(entry('autoproxy', 'automatic configuration', 'endpoint', scriptValue(script)));
    const discovery = /:\s*On/i.test(await ask(['-getproxyautodiscovery', service])) ? 'on' : 'off';
    entries.push(entry('proxyautodiscovery', 'automatic discovery', 'detail', discovery));
    const domains = (await ask(['-getproxybypassdomains', service])).split('\n').map((line) => line.trim());
    const bypass = domains.filter((line) => line !== '' && !NOTHING.test(line)).join(' ');
    entries.push(entry('bypass', 'hosts without a proxy', 'detail', bypass));
    return entries;
  }

  return {
    name: 'macOS',
    async read() {
      const [, ...lines] = (await ask(['-listallnetworkservices'])).split('\n');
      // A star marks a service that is switched off.
      const services = lines.map((line) => line.trimEnd()).filter((line) => line !== '' && !line.startsWith('*'));
      const entries: ProxyEntry[] = [];
      for (const service of services) entries.push(...(await readService(service)));
      return entries;
    },
    plan(present, { proxy, bypass }) {
      const on = `on ${placeText(proxy)}`;
      return change(present, {
        webproxy: () => on,
        securewebproxy: () => on,
        socksfirewallproxy: () => on,
        autoproxy: switchedOff,
        proxyautodiscovery: () => 'off',
        bypass: () => bypass.join(' '),
      });
    },
    planOff: (present) =>
      change(present, {
        webproxy: () => 'off',
        securewebproxy: () => 'off',
        socksfirewallproxy: () => 'off',
        autoproxy: switchedOff,
      }),
    describe(snapshot) {
      // The services agree when we set them; else the first one that has something speaks for all.
      const read = (kind: string): ProxyPlace | null =>
        snapshot
          .filter(({ key, value }) => key.endsWith(`/${kind}`) && value.startsWith('on '))
          .map(({ value }) => parsePlace(value.slice('on '.length)))
          .find((place) => place !== null) ?? null;
      const automatic = snapshot.some(({ key, value }) => /\/(autoproxy|proxyautodiscovery)$/.test(key) && isOn(value));
      const places = { http: read('webproxy'), https: read('securewebproxy'), socks: read('socksfirewallproxy') };
      const manual = places.http !== null || places.https !== null || places.socks !== null;
      return { kind: manual ? 'manual' : automatic ? 'automatic' : 'off', ...places };
    },
    async write(entries, onFailure) {
      let refused = false;
      const failures = await writeInTurn(entries, onFailure === 'go-on' ? 'go-on' : 'stop', async (entry) => {
        if (refused) return 'macOS wants an authorisation';
        for (const args of commandsFor(entry)) {
          const outcome = await run(TOOL, args);
          if (outcome.code === 0 && !NOT_ALLOWED.test(outcome.stdout)) continue;
          refused = isRefusal(outcome);
          return failureText('networksetup', outcome);
        }
        return null;
      });
      return refused ? writeWithAuthorisation(run, entries) : failures;
    },
  };
}

/** Everything in one go, so that macOS asks for a password once. */
async function writeWithAuthorisation(run: CommandRunner, entries: readonly ProxyEntry[]): Promise<WriteFailure[]> {
  const lines = entries.flatMap(commandsFor).map((args) => [TOOL, ...args].map(shellQuoted).join(' '));
  const script = `do shell script ${appleScriptText(lines.join(' && '))} with prompt "Weir changes the proxy settings of this Mac." with administrator privileges`;
  const outcome = await run('/usr/bin/osascript', ['-e', script]);
  if (outcome.code === 0) return [];
  const reason = /-128/.test(outcome.stderr) ? 'the authorisation was cancelled' : failureText('osascript', outcome);
  return entries.slice(0, 1).map((entry) => ({ entry, reason }));
}

function isRefusal({ stdout, stderr }: CommandOutcome): boolean {
  return NOT_ALLOWED.test(stdout) || NOT_ALLOWED.test(stderr);
}

function commandsFor({ key, value }: ProxyEntry): string[][] {
  const slash = key.lastIndexOf('/');
  const service = key.slice(0, slash);
  const kind = key.slice(slash + 1);
  const state = isOn(value) ? 'on' : 'off';
  switch (kind) {
    case 'bypass':
      return [['-setproxybypassdomains', service, ...(value === '' ? ['Empty'] : value.split(' '))]];
    case 'proxyautodiscovery':
      return [['-setproxyautodiscovery', service, state]];
    case 'autoproxy': {
      const url = value.replace(/^(on|off) ?/, '');
      return [...(url === '' ? [] : [['-setautoproxyurl', service, url]]), ['-setautoproxystate', service, state]];
    }
    default: {
      const place = parsePlace(value.replace(/^(on|off) ?/, ''));
      // Setting a place also switches it on, so the state comes last. An empty place wipes what was there.
      const [host, port] = place === null ? ['', ''] : [place.host, String(place.port)];
      return [
        [`-set${kind}`, service, host, port],
        [`-set${kind}state`, service, state],
      ];
    }
  }
}

function change(snapshot: ProxySnapshot, values: Readonly<Record<string, (value: string) => string>>): ProxySnapshot {
  return snapshot.map((entry) => {
    const next = values[entry.key.slice(entry.key.lastIndexOf('/') + 1)];
    return next === undefined ? entry : { ...entry, value: next(valueOf(snapshot, entry.key)) };
  });
}

function switchedOff(value: string): string {
  return value.replace(/^on/, 'off');
}

function isOn(value: string): boolean {
  return value === 'on' || value.startsWith('on ');
}

/** `Enabled: Yes`, `Server: …`, `Port: …` as one text: `on host:port`, `off host:port` or `off`. */
function placeValue(text: string): string {
  const field = (name: string): string => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  const host = field('Server');
  const state = /^(yes|1|on)$/i.test(field('Enabled')) ? 'on' : 'off';
  return host === '' || NOTHING.test(host) ? 'off' : `${state} ${placeText({ host, port: Number(field('Port')) })}`;
}

function scriptValue(text: string): string {
  const url = /^URL:[ \t]*(.*)$/m.exec(text)?.[1]?.trim() ?? '';
  const state = /^Enabled:\s*(yes|1|on)/im.test(text) ? 'on' : 'off';
  return url === '' || NOTHING.test(url) ? 'off' : `${state} ${url}`;
}

function appleScriptText(text: string): string {
  return `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;
}
