import type { SetupCalls, SystemProxyStatus, TrustReport, TrustStoreReport } from '../../app/contract/index.ts';

type SetupHandlers = {
  readonly [Name in keyof SetupCalls]: (input: SetupCalls[Name]['input']) => SetupCalls[Name]['output'];
};

const PLACE = { host: '127.0.0.1', port: 8_686 };

const OFF: SystemProxyStatus = {
  platform: 'GNOME',
  unsupported: null,
  on: false,
  reached: false,
  present: { kind: 'off', http: null, https: null, socks: null },
  changes: [
    { setting: 'HTTP proxy', from: '', to: '127.0.0.1:8686' },
    { setting: 'Proxy mode', from: "'none'", to: "'manual'" },
  ],
  foreign: [],
  bypass: ['localhost', '127.0.0.0/8', '::1'],
  otherProxy: null,
  exchanges: null,
};

const ON: SystemProxyStatus = {
  ...OFF,
  on: true,
  reached: true,
  present: { kind: 'manual', http: PLACE, https: PLACE, socks: PLACE },
  changes: OFF.changes.map(({ setting, from, to }) => ({ setting, from: to, to: from })),
  exchanges: 0,
};

const STORE: TrustStoreReport = {
  id: 'nss:/home/jo/.pki/nssdb',
  name: 'Chromium and Chrome',
  readers: 'Chromium, Chrome, Edge, Brave, Electron apps',
  state: 'absent',
  others: 0,
  problem: '',
  changeable: true,
  trustLine:
    'certutil -A -d sql:/home/jo/.pki/nssdb -n "Weir CA 1a2b3c4d" -t C,, -a -i /home/jo/.local/share/weir/ca/weir-ca.pem',
  untrustLine: 'certutil -D -d sql:/home/jo/.pki/nssdb -n "Weir CA 1a2b3c4d"',
};

const TRUST: TrustReport = {
  stores: [
    {
      ...STORE,
      id: 'system',
      name: 'This machine (Debian and Ubuntu)',
      readers: 'curl, wget, git, Python',
      changeable: false,
      trustLine:
        'sudo install -D -m 644 weir-ca.pem /usr/local/share/ca-certificates/weir-ca.crt && sudo update-ca-certificates',
      untrustLine: 'sudo rm /usr/local/share/ca-certificates/weir-ca.crt && sudo update-ca-certificates',
    },
    STORE,
  ],
  programs: [
    { name: 'curl', state: 'absent', detail: '' },
    { name: 'Java', state: 'missing', detail: '' },
  ],
  selfTest: null,
};

/** The calls of the Setup page in memory: a desktop whose settings take everything. */
export function fakeSetupCalls(): SetupHandlers {
  let on = false;
  return {
    'setup.ways': () => ({
      terminalLines: {
        posix: '. /home/jo/weir.sh',
        fish: 'source /home/jo/weir.fish',
        powershell: 'weir.ps1',
        cmd: 'call weir.cmd',
      },
      terminalWindows: {
        posix: { name: 'GNOME Terminal', reason: null },
        fish: { name: 'GNOME Terminal', reason: null },
        powershell: { name: null, reason: 'PowerShell is not on this computer.' },
        cmd: { name: null, reason: 'cmd is not on this computer.' },
      },
      trustBundle: '/home/jo/.local/share/weir/trust/weir-trust.pem',
      addresses: ['192.168.1.20'],
    }),
    'setup.openTerminal': () => ({ name: 'GNOME Terminal' }),
    'systemProxy.status': () => (on ? ON : OFF),
    'systemProxy.on': () => {
      on = true;
      return ON;
    },
    'systemProxy.off': () => {
      on = false;
      return { restored: ON.changes, kept: [] };
    },
    'trust.examine': () => TRUST,
    'trust.install': () => ({ ...STORE, state: 'trusted' }),
    'trust.remove': () => STORE,
  };
}
