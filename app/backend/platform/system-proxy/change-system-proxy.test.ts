import { describe, expect, test } from 'vitest';
import type { SystemProxyJournal, SystemProxyRecord } from './change-system-proxy.ts';
import { planRestore, restore, turnOn } from './change-system-proxy.ts';
import { chooseSystemProxy } from './choose-platform.ts';
import type { ProxyEntry, ProxySnapshot, SystemProxyPlatform } from './system-proxy.ts';
import { isSamePlace, parsePlace, placeText, withValues } from './system-proxy.ts';

const PROXY = { host: '127.0.0.1', port: 8_686 };

const entry = (key: string, role: ProxyEntry['role'], value: string): ProxyEntry => ({ key, label: key, role, value });
const desktopWith = (mode: string, http: string, bypass: string): ProxySnapshot => [
  entry('mode', 'switch', mode),
  entry('http', 'endpoint', http),
  entry('bypass', 'detail', bypass),
];

/** A desktop in memory. `keeps` false: it takes every value and keeps none. */
function memoryDesktop(
  first: ProxySnapshot,
  keeps = true,
): SystemProxyPlatform & { now: ProxySnapshot; order: string[] } {
  return {
    name: 'Memory',
    now: first,
    order: [],
    read() {
      return Promise.resolve(this.now);
    },
    plan: (present, { proxy, bypass }) =>
      withValues(present, { mode: 'manual', http: placeText(proxy), bypass: bypass.join(' ') }),
    planOff: (present) => withValues(present, { mode: 'none', http: '' }),
    describe(snapshot) {
      const [mode, http] = snapshot.map(({ value }) => value);
      const place = mode === 'manual' ? parsePlace(http ?? '') : null;
      return { kind: mode === 'manual' ? 'manual' : 'off', http: place, https: place, socks: null };
    },
    write(entries) {
      this.order.push(...entries.map(({ key }) => key));
      const values = Object.fromEntries(entries.map(({ key, value }) => [key, value]));
      if (keeps) this.now = withValues(this.now, values);
      return Promise.resolve([]);
    },
  };
}

function memoryJournal(record: SystemProxyRecord | null = null): SystemProxyJournal {
  let kept = record;
  return {
    read: () => kept,
    write: (next) => {
      kept = next;
    },
    remove: (id) => {
      if (kept?.id === id) kept = null;
    },
  };
}

function on(platform: SystemProxyPlatform, journal: SystemProxyJournal, id = 'one', bypass = ['localhost']) {
  const wanted = { proxy: PROXY, bypass };
  const beforeChange = (): Promise<void> => Promise.resolve();
  return turnOn({ platform, journal, wanted, ownPlaces: [PROXY], id, beforeChange });
}

describe('turning on', () => {
  test('switches last, and turning off switches first', async () => {
    const desktop = memoryDesktop(desktopWith('none', '', ''));
    const journal = memoryJournal();
    await on(desktop, journal);
    expect(desktop.order).toEqual(['http', 'bypass', 'mode']);
    await restore(desktop, journal, null);
    expect(desktop.order.slice(3)[0]).toBe('mode');
  });

  test('a second time keeps what was before the first', async () => {
    const before = desktopWith('manual', 'proxy.example:3128', 'intranet');
    const desktop = memoryDesktop(before);
    const journal = memoryJournal();
    await on(desktop, journal, 'one');
    await on(desktop, journal, 'two', ['other']);
    await restore(desktop, journal, null);
    expect(desktop.now).toEqual(before);
  });

  test.each(['127.0.0.1:8686', 'localhost:8686', '[::1]:8686'])(
    'never records %s, which is ours, as what was before',
    async (place) => {
      const desktop = memoryDesktop(desktopWith('manual', place, 'kept'));
      const journal = memoryJournal();
      await on(desktop, journal);
      await restore(desktop, journal, null);
      expect(desktop.now).toEqual(desktopWith('none', '', 'kept'));
    },
  );

  test('fails on a desktop that keeps nothing, and leaves no record', async () => {
    const journal = memoryJournal();
    await expect(on(memoryDesktop(desktopWith('none', '', ''), false), journal)).rejects.toThrow(/read back/);
    expect(journal.read()).toBeNull();
  });

  test('fails where there is nothing to set', async () => {
    await expect(on(memoryDesktop([]), memoryJournal())).rejects.toMatchObject({ code: 'unsupported' });
  });
});

describe('turning off', () => {
  const record: SystemProxyRecord = {
    id: 'one',
    platform: 'Memory',
    prior: desktopWith('none', 'old.example:1', 'a'),
    ours: desktopWith('manual', '127.0.0.1:8686', 'b'),
    bypass: [],
  };

  test('leaves a proxy that another program set, and the switch that makes it count', () => {
    const plan = planRestore(record, desktopWith('manual', '127.0.0.1:9090', 'b'));
    expect(plan.changes.map(({ to }) => to.key)).toEqual(['bypass']);
    expect(plan.kept.map(({ from }) => from.key)).toEqual(['mode', 'http']);
  });

  test('puts the rest back when somebody else switched it off', () => {
    const plan = planRestore(record, desktopWith('none', '127.0.0.1:8686', 'mine'));
    expect(plan.changes.map(({ to }) => to.value)).toEqual(['old.example:1']);
    expect(plan.kept.map(({ from }) => from.value)).toEqual(['mine']);
  });

  test('skips a network that is gone, and does nothing twice', async () => {
    const [, http] = desktopWith('', '127.0.0.1:8686', '');
    const desktop = memoryDesktop(http === undefined ? [] : [http]);
    const journal = memoryJournal(record);
    await restore(desktop, journal, 'one');
    expect(desktop.now.map(({ value }) => value)).toEqual(['old.example:1']);
    expect(await restore(desktop, journal, 'one')).toBeNull();
  });

  test('leaves the record of another turn-on alone, and that of another desktop', async () => {
    const desktop = memoryDesktop(record.ours);
    expect(await restore(desktop, memoryJournal(record), 'two')).toBeNull();
    const other = memoryJournal({ ...record, platform: 'Other' });
    await expect(restore(desktop, other, null)).rejects.toThrow(/settings of Other/);
    expect(desktop.now).toBe(record.ours);
  });
});

describe('a place', () => {
  test('is read with and without a scheme, and written with brackets', () => {
    expect(parsePlace('http://[::1]:80/')).toEqual({ host: '::1', port: 80 });
    expect(placeText({ host: '::1', port: 80 })).toBe('[::1]:80');
    expect(parsePlace('proxy.example')).toBeNull();
    expect(isSamePlace({ host: 'A.example', port: 1 }, { host: 'a.example', port: 1 })).toBe(true);
    expect(isSamePlace({ host: 'a.example', port: 1 }, { host: 'a.example', port: 2 })).toBe(false);
  });
});

test.each([
  ['win32', '', 'Windows'],
  ['darwin', '', 'macOS'],
  ['linux', 'ubuntu:GNOME', 'GNOME'],
  ['linux', 'X-Cinnamon', 'GNOME'],
  ['linux', 'KDE', 'KDE Plasma'],
])('on %s with the desktop “%s” the settings are those of %s', (platform, desktop, name) => {
  const run = (): Promise<never> => Promise.reject(new Error('nothing is run'));
  const chosen = chooseSystemProxy(platform, { XDG_CURRENT_DESKTOP: desktop }, run);
  expect(typeof chosen === 'string' ? chosen : chosen.name).toBe(name);
});
