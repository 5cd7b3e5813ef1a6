import { expect, test } from 'vitest';
import { effectiveView, nextView, viewsOf } from './body-views.ts';

test('raw is offered only where a content coding makes it differ', () => {
  expect(viewsOf({ kind: 'json', type: null }, false)).toEqual(['pretty', 'tree', 'text', 'hex']);
  expect(viewsOf({ kind: 'json', type: null }, true)).toEqual(['pretty', 'tree', 'text', 'hex', 'raw']);
});

test('a drawing can be looked at and read', () => {
  expect(viewsOf({ kind: 'image', type: 'image/svg+xml' }, false)).toEqual(['preview', 'pretty', 'text', 'hex']);
});

test('a choice that this body does not have gives way to its best view and is not lost', () => {
  const picture = viewsOf({ kind: 'image', type: 'image/png' }, false);
  expect(effectiveView(picture, 'pretty')).toBe('preview');
  expect(effectiveView(picture, 'hex')).toBe('hex');
  expect(effectiveView([], 'hex')).toBeNull();
});

test('one key goes round all views', () => {
  const views = viewsOf({ kind: 'json', type: null }, true);
  expect(['pretty', 'tree', 'text', 'hex', 'raw'].map((view) => nextView(views, view as 'pretty'))).toEqual([
    'tree',
    'text',
    'hex',
    'raw',
    'pretty',
  ]);
});
