import { afterEach, describe, expect, test } from 'vitest';
import type {
  SystemProxyJournal,
  SystemProxyRecord,
} from '../../app/backend/platform/system-proxy/change-system-proxy.ts';
import { restore, turnOn } from '../../app/backend/platform/system-proxy/change-system-proxy.ts';
import { kdeSystemProxy } from '../../app/backend/platform/system-proxy/kde.ts';
import { macosSystemProxy } from '../../app/backend/platform/system-proxy/macos.ts';
import type { SystemProxyPlatform } from '../../app/backend/platform/system-proxy/system-proxy.ts';
import { windowsSystemProxy } from '../../app/backend/platform/system-proxy/windows.ts';
import { KREADCONFIG, KWRITECONFIG } from '../support/recording-programs/kconfig.ts';
import { NETWORKSETUP, NETWORKSETUP_STATE } from '../support/recording-programs/networksetup.ts';
import { powershell } from '../support/recording-programs/powershell.ts';
import type { RecordingPrograms } from '../support/recording-programs/recording-programs.ts';
import { recordingPrograms } from '../support/recording-programs/recording-programs.ts';

/* The commands of the desktops that are not here, against executables that record and keep state. */

const PROXY = { host: '127.0.0.1', port: 8_686 };
const BYPASS = ['localhost', '127.0.0.0/8', '*.corp.example'];

interface Desktop {
  readonly platform: SystemProxyPlatform;
  readonly programs: RecordingPrograms;
}

interface Kind {
  readonly name: string;
  start(): Promise<Desktop>;
  /** Steps of turning on that are refused, one at a time. */
  readonly steps: readonly number[];
  /** Changes something as another program would: the web proxy. */
  readonly foreign: { readonly key: string; readonly value: string };
}

async function desktop(
  make: (run: RecordingPrograms['run']) => SystemProxyPlatform,
  programs: RecordingPrograms,
): Promise<Desktop> {
  return Promise.resolve({ platform: make(programs.run), programs });
}

const KDE_STATE = {
  ProxyType: '0',
  httpProxy: 'http://proxy.corp.example 3128',
  httpsProxy: '',
  socksProxy: '',
  NoProxyFor: 'intranet.corp.example',
  ReversedException: '',
};

const KINDS: readonly Kind[] = [
  {
    name: 'macOS',
    start: async () =>
      desktop(macosSystemProxy, await recordingPrograms({ networksetup: NETWORKSETUP }, NETWORKSETUP_STATE)),
    steps: [1, 4, 12],
    foreign: { key: 'Wi-Fi/webproxy', value: 'on 127.0.0.1:9090' },
  },
  {
    name: 'KDE Plasma 6',
    start: async () =>
      desktop(
        kdeSystemProxy,
        await recordingPrograms(
          { kreadconfig6: KREADCONFIG, kwriteconfig6: KWRITECONFIG, 'dbus-send': 'exit 1' },
          KDE_STATE,
        ),
      ),
    steps: [1, 2, 3, 4, 5, 6],
    foreign: { key: 'httpProxy', value: 'http://127.0.0.1 9090' },
  },
  {
    name: 'KDE Plasma 5',
    start: async () =>
      desktop(
        kdeSystemProxy,
        await recordingPrograms({ kreadconfig5: KREADCONFIG, kwriteconfig5: KWRITECONFIG, 'dbus-send': '' }, KDE_STATE),
      ),
    steps: [1, 2, 3, 4, 5, 6],
    foreign: { key: 'httpProxy', value: 'http://127.0.0.1 9090' },
  },
  {
    name: 'Windows',
    start: async () =>
      desktop(
        windowsSystemProxy,
        await recordingPrograms(
          { 'powershell.exe': powershell(process.execPath) },
          { registry: JSON.stringify({ AutoConfigURL: 'http://wpad.corp.example/proxy.pac', ProxyEnable: 0 }) },
        ),
      ),
    steps: [1, 2, 3, 4],
    foreign: { key: 'ProxyServer', value: '127.0.0.1:9090' },
  },
];

let running: Desktop | null = null;

afterEach(async () => {
  await running?.programs.remove();
  running = null;
});

function memoryJournal(): SystemProxyJournal & { record: SystemProxyRecord | null } {
  return {
    record: null,
    read() {
      return this.record;
    },
    write(record) {
      this.record = record;
    },
    remove(id) {
      if (this.record?.id === id) this.record = null;
    },
  };
}

function on(platform: SystemProxyPlatform, journal: SystemProxyJournal): Promise<SystemProxyRecord> {
  return turnOn({
    platform,
    journal,
    wanted: { proxy: PROXY, bypass: BYPASS },
    ownPlaces: [PROXY],
    id: 'first',
    beforeChange: () => Promise.resolve(),
  });
}

describe.each(KINDS)('the proxy settings of $name', ({ start, steps, foreign }) => {
  test('send HTTP, HTTPS and SOCKS to us and come back as they were', async () => {
    const { platform, programs } = (running = await start());
    const before = await programs.state();
    const journal = memoryJournal();
    await on(platform, journal);
    expect(platform.describe(await platform.read())).toEqual({
      kind: 'manual',
      http: PROXY,
      https: PROXY,
      socks: PROXY,
    });
    expect(await programs.state()).not.toEqual(before);
    await restore(platform, journal, null);
    expect(await programs.state()).toEqual(before);
    expect(journal.read()).toBeNull();
  });

  test('are on the disk before the first of them changes', async () => {
    const { platform, programs } = (running = await start());
    const before = await programs.state();
    const journal = memoryJournal();
    const prior = await platform.read();
    await turnOn({
      platform,
      journal,
      wanted: { proxy: PROXY, bypass: BYPASS },
      ownPlaces: [PROXY],
      id: 'first',
      beforeChange: async () => {
        expect(journal.read()?.prior).toEqual(prior);
        expect(await programs.state()).toEqual(before);
      },
    });
  });

  test('are as before when any one step is refused', async () => {
    const { platform, programs } = (running = await start());
    const before = await programs.state();
    let refused = 0;
    for (const step of steps) {
      await programs.failAt(step);
      const outcome = await on(platform, memoryJournal()).then(
        () => 'on',
        (error: unknown) => String(error),
      );
      if (outcome === 'on') break;
      expect(outcome).toContain('refused by the test');
      expect(outcome).toContain('Everything is as it was before.');
      expect(await programs.state()).toEqual(before);
      refused = step;
    }
    expect(refused).toBeGreaterThan(2);
  });

  test('that could not be put back are named, and the record stays for another try', async () => {
    const { platform, programs } = (running = await start());
    const before = await programs.state();
    const journal = memoryJournal();
    await on(platform, journal);
    await programs.failAt(1);
    await expect(restore(platform, journal, null)).rejects.toThrow(/could not be put back.*weir system-proxy restore/);
    expect(journal.read()).not.toBeNull();
    await restore(platform, journal, null);
    expect(await programs.state()).toEqual(before);
  });

  test('that another program changed meanwhile are left to it', async () => {
    const { platform } = (running = await start());
    const journal = memoryJournal();
    await on(platform, journal);
    const present = await platform.read();
    await platform.write(
      present.flatMap((entry) => (entry.key === foreign.key ? [{ ...entry, value: foreign.value }] : [])),
      'stop',
    );
    const plan = await restore(platform, journal, null);
    expect(plan?.kept.map(({ from }) => from.key)).toContain(foreign.key);
    expect(platform.describe(await platform.read()).http).toEqual({ host: '127.0.0.1', port: 9_090 });
  });
});

describe('macOS', () => {
  test('leaves services alone that are switched off', async () => {
    const { platform, programs } = (running = await start(0));
    await on(platform, memoryJournal());
    expect((await programs.calls()).filter((line) => line.includes('Old modem'))).toEqual([]);
  });

  test('asks for one authorisation when the user may not change the network', async () => {
    const refusing = NETWORKSETUP.replace('change\n', 'echo "** Error: requires admin privileges" >&2; exit 14\n');
    const programs = await recordingPrograms(
      { networksetup: refusing, osascript: 'printf "%s" "$2" > script' },
      NETWORKSETUP_STATE,
    );
    const platform = macosSystemProxy(programs.run);
    running = { platform, programs };
    const present = await platform.read();
    const wanted = platform.plan(present, { proxy: PROXY, bypass: BYPASS });
    expect(await platform.write(wanted, 'stop')).toEqual([]);
    const asked = (await programs.calls()).filter((line) => line.startsWith('osascript'));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('with administrator privileges');
    expect(asked[0]).toContain("'-setwebproxy' 'USB LAN' '127.0.0.1' '8686'");
  });

  function start(at: number): Promise<Desktop> {
    const kind = KINDS[at];
    if (kind === undefined) throw new Error('There is no such desktop.');
    return kind.start();
  }
});
