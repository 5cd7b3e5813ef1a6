import type { PresentSystemProxy, ProxyPlace } from '#contract';
import type { CommandOutcome, CommandRunner } from '../command-runner.ts';
import { failureText } from '../command-runner.ts';
import { windowsBypass } from './windows-bypass.ts';
import type { ProxyEntry, ProxySnapshot, SystemProxyPlatform } from './system-proxy.ts';
import { parsePlace, placeText, SystemProxyError, valueOf, withValues } from './system-proxy.ts';

const POWERSHELL = 'powershell.exe';
const ARGUMENTS = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-EncodedCommand'];
const KEY = String.raw`HKCU:\Software\Microsoft\Windows\CurrentVersion\Internet Settings`;

const DEFINITIONS: readonly (Omit<ProxyEntry, 'value'> & { readonly type: 'DWord' | 'String' })[] = [
  { key: 'ProxyServer', label: 'Proxy server', role: 'endpoint', type: 'String' },
  { key: 'AutoConfigURL', label: 'Automatic configuration script', role: 'endpoint', type: 'String' },
  { key: 'AutoDetect', label: 'Detect settings automatically', role: 'detail', type: 'DWord' },
  { key: 'ProxyOverride', label: 'Hosts without a proxy', role: 'detail', type: 'String' },
  { key: 'ProxyEnable', label: 'Use a proxy server', role: 'switch', type: 'DWord' },
];

const READ = `
$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = [Text.Encoding]::UTF8
$present = Get-ItemProperty -Path '${KEY}'
$values = @{}
foreach ($name in @(${DEFINITIONS.map(({ key }) => `'${key}'`).join(', ')})) {
  if ($present.PSObject.Properties.Name -contains $name) { $values[$name] = [string]$present.$name }
}
ConvertTo-Json -Compress $values`;

/** Reads `[{name, type, value}]` from standard input; prints the number of values written, then tells running programs. */
const WRITE = `
$ErrorActionPreference = 'Stop'
[Console]::InputEncoding = [Text.Encoding]::UTF8
$done = 0
try {
  $entries = [Console]::In.ReadToEnd() | ConvertFrom-Json
  foreach ($entry in $entries) {
    if ($null -eq $entry.value) { Remove-ItemProperty -Path '${KEY}' -Name $entry.name -ErrorAction SilentlyContinue }
    else { New-ItemProperty -Path '${KEY}' -Name $entry.name -PropertyType $entry.type -Value $entry.value -Force | Out-Null }
    $done++
  }
} finally {
  [Console]::Out.WriteLine($done)
  try {
    $type = Add-Type -PassThru -Name Internet -Namespace Weir -MemberDefinition '[DllImport("wininet.dll", SetLastError = true)] public static extern bool InternetSetOption(IntPtr handle, int option, IntPtr buffer, int length);'
    [void]$type::InternetSetOption([IntPtr]::Zero, 39, [IntPtr]::Zero, 0)
    [void]$type::InternetSetOption([IntPtr]::Zero, 37, [IntPtr]::Zero, 0)
  } catch { [Console]::Error.WriteLine($_) }
}`;

/** Windows: the user's WinINET settings in the registry, and the broadcast that running programs listen for. */
export function windowsSystemProxy(run: CommandRunner): SystemProxyPlatform {
  const script = (text: string, input = ''): Promise<CommandOutcome> =>
    run(POWERSHELL, [...ARGUMENTS, Buffer.from(text, 'utf16le').toString('base64')], input);
  return {
    name: 'Windows',
    async read() {
      const outcome = await script(READ);
      const values = outcome.code === 0 ? parseObject(outcome.stdout) : null;
      if (values !== null) {
        return DEFINITIONS.map(({ type: _type, ...entry }) => ({ ...entry, value: textOf(values[entry.key]) }));
      }
      throw new SystemProxyError(
        'unreadable',
        `The proxy settings of Windows cannot be read (${failureText('PowerShell', outcome)}).`,
      );
    },
    plan(present, { proxy, bypass }) {
      return withValues(present, {
        ProxyServer: `http=${placeText(proxy)};https=${placeText(proxy)};socks=${placeText(proxy)}`,
        AutoConfigURL: '',
        AutoDetect: '0',
        ProxyOverride: windowsBypass(bypass),
        ProxyEnable: '1',
      });
    },
    planOff: (present) => withValues(present, { ProxyEnable: '0', ProxyServer: '' }),
    describe,
    async write(entries, onFailure) {
      const rows = entries.map(({ key, value }) => {
        const type = DEFINITIONS.find((definition) => definition.key === key)?.type ?? 'String';
        return { name: key, type, value: value === '' ? null : type === 'DWord' ? Number(value) : value };
      });
      const outcome = await script(WRITE, JSON.stringify(rows));
      if (outcome.code === 0) return [];
      const at = Math.min(Number(/^\d+/.exec(outcome.stdout)?.[0] ?? 0), entries.length - 1);
      const failures = entries
        .slice(at, at + 1)
        .map((entry) => ({ entry, reason: failureText('PowerShell', outcome) }));
      // The registry refused one value, not the ones behind it.
      const rest = entries.slice(at + 1);
      if (onFailure === 'stop' || rest.length === 0) return failures;
      return [...failures, ...(await this.write(rest, onFailure))];
    },
  };
}

function describe(snapshot: ProxySnapshot): PresentSystemProxy {
  const enabled = valueOf(snapshot, 'ProxyEnable') === '1';
  const automatic = valueOf(snapshot, 'AutoConfigURL') !== '';
  const server = enabled ? valueOf(snapshot, 'ProxyServer') : '';
  const read = (scheme: string): ProxyPlace | null => {
    if (!server.includes('=')) return scheme === 'socks' ? null : parsePlace(server);
    const part = server.split(';').find((text) => text.trim().toLowerCase().startsWith(`${scheme}=`));
    return part === undefined ? null : parsePlace(part.slice(part.indexOf('=') + 1));
  };
  const places = { http: read('http'), https: read('https'), socks: read('socks') };
  return { kind: server !== '' ? 'manual' : automatic ? 'automatic' : 'off', ...places };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
