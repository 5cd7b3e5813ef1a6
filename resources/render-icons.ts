// Draws every icon of the product from its SVG source: node resources/render-icons.ts
// The results are committed, so that a build needs no browser.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { browserForTests } from '../test/support/browser.ts';
import { encodeIcns, encodeIco } from './icon-files.ts';

const FOLDER = import.meta.dirname;
const APP_SIZES = [16, 32, 48, 64, 128, 256, 512, 1024] as const;
const TRAY_STATES = ['idle', 'recording', 'system-proxy'] as const;
const TRAY_PIXELS = 18;

async function drawPng(page: Page, svg: string, pixels: number, colour: string): Promise<Buffer> {
  await page.setViewportSize({ width: pixels, height: pixels });
  await page.setContent(
    `<style>html, body { margin: 0; background: transparent; color: ${colour} } svg { display: block; width: 100vw; height: 100vh }</style>${svg}`,
  );
  return page.screenshot({ omitBackground: true, type: 'png' });
}

async function drawAppIcons(page: Page): Promise<void> {
  const svg = await readFile(join(FOLDER, 'source/icon.svg'), 'utf8');
  const images = new Map<number, Buffer>();
  for (const pixels of APP_SIZES) images.set(pixels, await drawPng(page, svg, pixels, '#000'));
  await mkdir(join(FOLDER, 'icons'), { recursive: true });
  for (const [pixels, png] of images) {
    // Linux desktops take sizes by these names.
    if (pixels <= 512) await writeFile(join(FOLDER, 'icons', `${String(pixels)}x${String(pixels)}.png`), png);
  }
  await writeFile(join(FOLDER, 'icons/icon.ico'), encodeIco(images));
  await writeFile(join(FOLDER, 'icons/icon.icns'), encodeIcns(images));
}

/** macOS tints a black `…Template`; the others get black for light panels and white for dark ones. */
async function drawTrayIcons(page: Page): Promise<void> {
  await mkdir(join(FOLDER, 'tray'), { recursive: true });
  for (const state of TRAY_STATES) {
    const svg = await readFile(join(FOLDER, `source/tray-${state}.svg`), 'utf8');
    for (const [kind, colour] of [
      ['Template', '#000'],
      ['-light', '#fff'],
    ] as const) {
      for (const [scale, suffix] of [
        [1, ''],
        [2, '@2x'],
      ] as const) {
        const png = await drawPng(page, svg, TRAY_PIXELS * scale, colour);
        await writeFile(join(FOLDER, 'tray', `${state}${kind}${suffix}.png`), png);
      }
    }
  }
}

const { executablePath, args } = await browserForTests();
const browser = await chromium.launch({ executablePath, args: [...args] });
try {
  const page = await browser.newPage();
  await drawAppIcons(page);
  await drawTrayIcons(page);
} finally {
  await browser.close();
}
