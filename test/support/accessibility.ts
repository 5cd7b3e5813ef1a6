import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** All rows of the list are alike; looking at a few of them is looking at all, and takes a tenth of the time. */
const FURTHER_ROWS = '.place:nth-child(n + 10)';

interface Axe {
  run(context: { readonly exclude: readonly string[] }, options: RunOptions): Promise<AxeResults>;
}

/**
 * Looks for what keeps people from using the page as it stands, by axe in the page itself: frames hold previews alone,
 * which run no scripts.
 * @param without rules that do not apply
 * @param only the rules to look by; all where it is not given
 * @returns one sentence for each finding
 */
export async function accessibilityFindings(
  page: Page,
  without: readonly string[] = [],
  only: readonly string[] | null = null,
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(
    async ([exclude, disabled, chosen]) => {
      // What fades in has its contrast once it is there; what never ends is a bar of progress.
      const fades = document
        .getAnimations()
        .filter((animation) => animation.effect?.getTiming().iterations !== Infinity);
      await Promise.allSettled(fades.map((animation) => animation.finished));
      const { axe } = window as unknown as { axe: Axe };
      const rules = Object.fromEntries(disabled.map((rule) => [rule, { enabled: false }]));
      const options: RunOptions = { resultTypes: ['violations'], rules };
      if (chosen !== null) options.runOnly = [...chosen];
      const { violations } = await axe.run({ exclude: [exclude] }, options);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => {
          const why = (failureSummary ?? '').split('\n')[1]?.trim() ?? '';
          return `axe ${id}: ${target.join(' ')} (${why})`;
        }),
      );
    },
    [FURTHER_ROWS, [...without], only] as const,
  );
}
