import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRealInspector } from '../support/real-inspector.ts';
import type { RealInspector } from '../support/real-inspector.ts';
import { checkPage } from './page-checks.ts';
import { SCENES } from './scenes.ts';

/** `WEIR_SHOTS_FOLDER` puts the pictures elsewhere, for example to docs/pictures. */
const FOLDER = resolve(process.env['WEIR_SHOTS_FOLDER'] ?? join(import.meta.dirname, '../../.cache/shots'));
/** `WEIR_SHOTS_SCENES` takes only some, by name, separated by commas. */
const WANTED = process.env['WEIR_SHOTS_SCENES']?.split(',');

const THEMES = ['dark', 'light'] as const;
const SIZES = [
  { width: 1_440, height: 900 },
  { width: 1_024, height: 700 },
];

let inspector: RealInspector;

beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  inspector = await startRealInspector();
});

afterAll(async () => {
  await inspector.stop();
});

const runs = SCENES.filter(({ name }) => WANTED?.includes(name) ?? true).flatMap((scene) =>
  THEMES.flatMap((theme) => SIZES.map((size) => ({ scene, theme, size }))),
);

test.each(runs.map((run) => [`${run.scene.name}-${run.theme}-${String(run.size.width)}`, run] as const))(
  'the picture %s has nothing that the visual specification forbids',
  async (name, { scene, theme, size }) => {
    const page = await inspector.open({ colorScheme: theme, viewport: scene.viewport ?? size });
    await scene.show(page);
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    const findings = await checkPage(page);
    await scene.leave?.(page);
    await inspector.closePages();
    expect(findings).toEqual([]);
    expect(inspector.complaints.splice(0)).toEqual([]);
  },
);
