import { expect, test } from 'vitest';
import { drawingCost } from './drawing-cost.ts';

function laughs(levels: number): string {
  let defs = '<rect id="l0" width="1" height="1"/>';
  for (let level = 1; level <= levels; level += 1) {
    defs += `<g id='l${String(level)}'>${`<use xlink:href="#l${String(level - 1)}" />`.repeat(10)}</g>`;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg"><defs>${defs}</defs><use href="#l${String(levels)}"/></svg>`;
}

test('a drawing without references draws what is written', () => {
  const svg = `<?xml version="1.0"?><!-- a > b --><svg><g id="a" title="x>y"><path d="M0 0"/></g><text>1 &lt; 2</text></svg>`;
  expect(drawingCost(svg)).toEqual({ written: 4, drawn: 4 });
});

test('a reference draws what it names, each time', () => {
  const svg = `<svg><g id="a"><path/><path/></g><use href="#a"/><use href="#a"/><use href="#missing"/></svg>`;
  expect(drawingCost(svg)).toEqual({ written: 7, drawn: 13 });
});

test('references to references grow by powers, and counting them does not', () => {
  expect(drawingCost(laughs(3)).drawn).toBeGreaterThan(1_000);
  expect(drawingCost(laughs(30))).toEqual({ written: 334, drawn: 1_000_000_000 });
});

test('a circle of references ends', () => {
  expect(drawingCost('<svg><g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g></svg>').drawn).toBeLessThan(20);
});

test.each([
  ['elements inside of one another', '<g>', 200_000],
  ['named ones', '<g id="a">', 200_000],
  ['quotes that never end', `<a "'`, 2_000_000],
])('a drawing of many %s is counted in one pass', (_, piece, times) => {
  const { written, drawn } = drawingCost(`<svg>${piece.repeat(times)}`);
  expect(written).toBe(piece.endsWith('>') ? times + 1 : 1);
  expect(drawn).toBeGreaterThanOrEqual(written);
});
