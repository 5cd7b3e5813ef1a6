import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SetupCalls, SystemProxyStatus } from '#contract';
import { createContractClient } from '#contract';
import { connectToBackend } from '../../app/backend/connect-to-backend.ts';
import { describeDataFolder } from '../../app/backend/data-folder.ts';
import { findRunningBackend } from '../../app/backend/ownership.ts';
import type { SystemProxyRecord } from '../../app/backend/platform/system-proxy/change-system-proxy.ts';
import type { GnomeDesktop } from '../support/gnome-desktop.ts';
import { missingForGnome, startGnomeDesktop } from '../support/gnome-desktop.ts';
import { runWeir } from '../support/run-weir.ts';
import { WeirProcess } from '../support/weir-process.ts';

/* The system proxy of GNOME for real: a private D-Bus, dconf's own database, whole Weirs that are killed. */

const missing = missingForGnome();
if (missing !== null) process.stderr.write(`\nNOT TESTED: the system proxy of GNOME. ${missing}\n\n`);

let desktop: GnomeDesktop;
let weir: WeirProcess | null = null;

describe.skipIf(missing !== null)('the system proxy of GNOME', () => {
  beforeEach(async () => {
    desktop = await startGnomeDesktop();
  });

  afterEach(async () => {
    await weir?.stop();
    weir = null;
    await desktop.stop();
  });

  async function start(dataFolder?: string): Promise<WeirProcess> {
    weir = await WeirProcess.start([], dataFolder, desktop.environment);
    return weir;
  }

  async function command(of: WeirProcess, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runWeir(['system-proxy', ...args, '--data', of.dataFolder], {
      env: desktop.environment,
    });
    if (code !== 0) throw new Error(stderr);
    return stdout.toString();
  }

  /** As the inspector calls it: quicker than a command. */
  async function call<Name extends keyof SetupCalls>(
    of: WeirProcess,
    name: Name,
    input: SetupCalls[Name]['input'],
  ): Promise<SetupCalls[Name]['output']> {
    const running = findRunningBackend(describeDataFolder(of.dataFolder));
    if (running === null) throw new Error('No Weir runs there.');
    const client = createContractClient(await connectToBackend(running));
    try {
      return await client.call(name, input);
    } finally {
      client.close();
    }
  }

  const turnOn = (of: WeirProcess, chain = false): Promise<SystemProxyStatus> => call(of, 'systemProxy.on', { chain });

  const recordOf = async (of: WeirProcess): Promise<SystemProxyRecord> =>
    JSON.parse(await readFile(join(of.dataFolder, 'system-proxy.json'), 'utf8')) as SystemProxyRecord;

  test('goes on for every kind of traffic and off without a trace, and its record is private', async () => {
    const of = await start();
    expect(await desktop.dump()).toBe('');
    await command(of, 'on', '--bypass', 'localhost,*.corp.example');
    const dump = await desktop.dump();
    for (const kind of ['http', 'https', 'socks']) {
      expect(dump).toContain(`[${kind}]\nhost='127.0.0.1'\nport=${String(of.port)}`);
    }
    expect(dump).toContain("mode='manual'");
    expect(dump).toContain("ignore-hosts=['localhost', '*.corp.example']");
    expect((await stat(join(of.dataFolder, 'system-proxy.json'))).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await command(of, 'status', '--json'))).toMatchObject({
      on: true,
      reached: true,
      platform: 'GNOME',
    });
    expect(await command(of, 'off')).toContain("put back  Proxy mode: 'none'");
    expect(await desktop.dump()).toBe('');
    expect(await readdir(of.dataFolder)).not.toContain('system-proxy.json');
  });

  test('is put back when Weir ends', async () => {
    const of = await start();
    await desktop.settings('set', 'org.gnome.system.proxy.http', 'host', 'proxy.corp.example');
    const before = await desktop.dump();
    await turnOn(of);
    expect(await desktop.dump()).not.toBe(before);
    await of.stop({ keepData: true });
    expect(await desktop.dump()).toBe(before);
  });

  test('is put back by the watchdog after kill -9, before Weir starts again', async () => {
    const of = await start();
    await turnOn(of);
    const began = performance.now();
    await of.kill();
    await desktop.until((dump) => dump === '');
    process.stdout.write(`put back ${String(Math.round(performance.now() - began))} ms after kill -9\n`);
  });

  test('is put back at the next start when the watchdog was killed too', async () => {
    const of = await start();
    await turnOn(of);
    process.kill(await watchdogOf(await recordOf(of)), 'SIGKILL');
    await of.kill();
    expect(await desktop.dump()).toContain("mode='manual'");
    const next = await start(of.dataFolder);
    expect(await desktop.dump()).toBe('');
    expect(next.errors).toContain('The settings from before are back.');
  });

  test('is put back by hand where no Weir runs', async () => {
    const of = await start();
    await turnOn(of);
    process.kill(await watchdogOf(await recordOf(of)), 'SIGKILL');
    await of.kill();
    expect(await command(of, 'restore')).toContain('put back  Proxy mode');
    expect(await desktop.dump()).toBe('');
  });

  test('never takes a state that points at itself for the one from before', async () => {
    const of = await start();
    await turnOn(of);
    // As if the record had been lost: the settings point at this Weir, and it knows nothing of it.
    await rm(join(of.dataFolder, 'system-proxy.json'));
    await turnOn(of);
    await call(of, 'systemProxy.off', {});
    expect(await desktop.settings('get', 'org.gnome.system.proxy', 'mode')).toBe("'none'");
    expect(await desktop.settings('get', 'org.gnome.system.proxy.http', 'host')).toBe("''");
  });

  test('leaves a proxy alone that another program set meanwhile', async () => {
    const of = await start();
    await turnOn(of);
    await desktop.settings('set', 'org.gnome.system.proxy.http', 'port', '9090');
    await desktop.settings('set', 'org.gnome.system.proxy.https', 'port', '9090');
    expect(await call(of, 'systemProxy.status', {})).toMatchObject({ on: true, reached: false });
    const { kept } = await call(of, 'systemProxy.off', {});
    expect(kept).toContainEqual({ setting: 'HTTP proxy', from: '127.0.0.1:9090', to: '' });
    expect(await desktop.settings('get', 'org.gnome.system.proxy', 'mode')).toBe("'manual'");
    expect(await desktop.settings('get', 'org.gnome.system.proxy.http', 'port')).toBe('9090');
  });

  test("takes another program's proxy as its upstream proxy until it is turned off", async () => {
    const of = await start();
    await desktop.settings('set', 'org.gnome.system.proxy.https', 'host', 'proxy.corp.example');
    await desktop.settings('set', 'org.gnome.system.proxy.https', 'port', '3128');
    await desktop.settings('set', 'org.gnome.system.proxy', 'mode', 'manual');
    const before = await desktop.dump();
    expect(await call(of, 'systemProxy.status', {})).toMatchObject({ otherProxy: 'http://proxy.corp.example:3128' });
    await turnOn(of, true);
    await call(of, 'systemProxy.off', {});
    expect(await desktop.dump()).toBe(before);
  });
});

/** The process that has the record's id in its command line. */
async function watchdogOf({ id }: SystemProxyRecord): Promise<number> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (line.includes('system-proxy-watchdog') && line.includes(id)) return Number(name);
  }
  throw new Error('No watchdog runs.');
}

test('a desktop without settings of its own is told so', async () => {
  const { code, stdout } = await runWeir(['system-proxy', 'status', '--json', '--data', '/nonexistent/weir'], {
    env: { XDG_CURRENT_DESKTOP: 'sway', XDG_SESSION_DESKTOP: '' },
  });
  expect(code).toBe(0);
  expect((JSON.parse(stdout.toString()) as SystemProxyStatus).unsupported).toContain('The desktop sway');
});
