import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { missingForGnome, startGnomeDesktop } from '../support/gnome-desktop.ts';
import type { GnomeDesktop } from '../support/gnome-desktop.ts';
import { startRealInspector } from '../support/real-inspector.ts';
import type { RealInspector } from '../support/real-inspector.ts';
import { checkPage } from './page-checks.ts';
import { JOURNEY_SCENES } from './journey-scenes.ts';
import { SCENES } from './scenes.ts';

/** `WEIR_SHOTS_FOLDER` puts the pictures elsewhere, for example to docs/pictures. */
const FOLDER = resolve(process.env['WEIR_SHOTS_FOLDER'] ?? join(import.meta.dirname, '../../.cache/shots'));
/**
 * `WEIR_SHOTS_SCENES` takes others, by name, separated by commas, or `all`. The test command takes the scenes that between
 * them hold every pane, every kind of control and every state.
 */
const WANTED = process.env['WEIR_SHOTS_SCENES']?.split(',') ?? [
  'empty',
  'list',
  'overview',
  'response-tree',
  'messages',
  'timing',
  'tls',
  'failure',
  'compare',
  'row-menu',
  'export',
  'benchmark',
  'setup',
  'settings',
];

const THEMES = ['dark', 'light'] as const;
const SIZES = [
  { width: 1_440, height: 900 },
  { width: 1_024, height: 700 },
] as const;

let desktop: GnomeDesktop | null = null;
let inspector: RealInspector;

beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  // A desktop of its own: the pictures do not show what this machine happens to have, and nothing of it can be changed.
  desktop = missingForGnome() === null ? await startGnomeDesktop() : null;
  if (desktop !== null) await desktop.makeBrowserDatabase();
  inspector = await startRealInspector(desktop?.environment);
});

afterAll(async () => {
  await inspector.stop();
  await desktop?.stop();
});

const all = [...SCENES, ...JOURNEY_SCENES];
const scenes = all.filter(({ name }) => WANTED.includes('all') || WANTED.includes(name));

test('every scene that is asked for is there', () => {
  const missing = WANTED.filter((name) => name !== 'all' && !all.some((scene) => scene.name === name));
  expect(missing).toEqual([]);
});

test.each(scenes.map((scene) => [scene.name, scene] as const))(
  'the picture %s has nothing that the visual specification forbids, in both themes and sizes',
  async (_name, scene) => {
    const sizes = scene.viewport === undefined ? SIZES : [scene.viewport];
    const page = await inspector.open();
    await page.setViewportSize(scene.viewport ?? SIZES[0]);
    await scene.show(page);
    await page.evaluate(() => document.fonts.ready);
    const findings: string[] = [];
    for (const size of sizes) {
      await page.setViewportSize(size);
      for (const theme of THEMES) {
        await page.emulateMedia({ colorScheme: theme });
        const name = `${scene.name}-${theme}-${String(size.width)}`;
        await page.screenshot({ path: join(FOLDER, `${name}.png`) });
        for (const finding of await checkPage(page, theme !== THEMES[0])) findings.push(`${name}: ${finding}`);
      }
    }
    // Also of a picture with findings: the next one begins where this one began.
    await scene.leave?.(page);
    expect(findings).toEqual([]);
    expect(inspector.complaints.splice(0)).toEqual([]);
  },
);

afterEach(async () => {
  await inspector.closePages();
});
