import type { SetupCalls, SystemProxyStatus } from '../../app/contract/index.ts';

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

/** The calls of the Setup page in memory: a desktop whose settings take everything. */
export function fakeSetupCalls(): SetupHandlers {
  let on = false;
  return {
    'systemProxy.status': () => (on ? ON : OFF),
    'systemProxy.on': () => {
      on = true;
      return ON;
    },
    'systemProxy.off': () => {
      on = false;
      return { restored: ON.changes, kept: [] };
    },
  };
}
