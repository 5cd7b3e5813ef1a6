import { expect, test } from 'vitest';
import { sampleResult } from '../../test/support/sample-bench.ts';
import { publishedText } from './bench-published.ts';
import { toMarkdown } from './bench-report.ts';

const ORDER = { run: 'run', profiles: ['http1-small', 'tcp-echo'], products: null, trials: 2, seconds: 1 };

test('says what others published for a profile, and what the same nginx gives here', () => {
  const [profile] = sampleResult(ORDER).profiles;
  if (profile === undefined) throw new Error('There is no sample.');
  const rate = (id: string): number =>
    profile.products.find(({ product }) => product === id)?.median?.operationsPerSecond ?? 0;
  expect(publishedText(profile)).toBe(
    'Published by their makers, on other hardware, throughput against nginx with proxy_buffering off: ' +
      'A3S Gateway 1.0.13 0.75× (August 2026, a hosted runner of 4 cores); ' +
      'Titanium Web Proxy 6.0 0.84× (August 2026, hosted runners of 4 cores, Linux, the peaks of ramps). ' +
      `Weir here: ${(rate('weir') / rate('nginx')).toFixed(2)}×.`,
  );
  const alone = { ...profile, products: profile.products.slice(0, 1) };
  expect(publishedText(alone)).toMatch(/Weir here: not measured\.$/);
  expect(publishedText({ ...profile, profile: 'nobody-measured-this' })).toBeNull();
});

test('the report leaves them out unless they are asked for', () => {
  const result = sampleResult(ORDER);
  expect(toMarkdown(result)).not.toContain('Published by');
  expect(toMarkdown(result, true).match(/Published by their makers, on other hardware/g)).toHaveLength(2);
});
