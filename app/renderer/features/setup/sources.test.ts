import { expect, test } from 'vitest';
import { parseFilter } from '#contract';
import { TRAFFIC_SOURCES } from './sources.ts';

test.each(Object.entries(TRAFFIC_SOURCES))('the filter that counts %s is one', (_name, { filter }) => {
  expect(parseFilter(filter)).toMatchObject({ ok: true });
});
