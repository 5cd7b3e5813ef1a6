import type { Page } from 'playwright-core';
import { accessibilityFindings } from '../support/accessibility.ts';

/** Sizes of type that the visual specification has, px. */
const FONT_SIZES = [11, 12, 13, 15, 20];
/** Corners: none, controls, menus, dialogs, pills. */
const RADII = [0, 4, 6, 8, 14];
/** Smallest target, px (WCAG 2.2, 2.5.8). */
const LEAST_TARGET = 24;

/**
 * Looks for what the visual specification forbids on the page as it stands.
 * @param coloursOnly for a page that was checked whole and has only changed its theme since
 * @returns one sentence for each finding, none when all is well
 */
export async function checkPage(page: Page, coloursOnly = false): Promise<string[]> {
  // Menus and dialogs stand outside the landmarks by their nature, so `region` has nothing to say about them.
  const axe = await accessibilityFindings(page, coloursOnly ? [] : ['region'], coloursOnly ? ['color-contrast'] : null);
  const drawn = await page.evaluate(inspect, { sizes: FONT_SIZES, radii: RADII, leastTarget: LEAST_TARGET });
  return [...axe, ...new Set(drawn)];
}

interface Rules {
  readonly sizes: readonly number[];
  readonly radii: readonly number[];
  readonly leastTarget: number;
}

/** Runs in the page. */
function inspect({ sizes, radii, leastTarget }: Rules): string[] {
  const findings: string[] = [];
  const { documentElement, body } = document;
  if (documentElement.scrollWidth > window.innerWidth || body.scrollHeight > window.innerHeight) {
    findings.push(`overflow: the page is ${String(documentElement.scrollWidth)} × ${String(body.scrollHeight)} px`);
  }

  const probe = document.createElement('span');
  body.append(probe);
  const tokens = new Set<string>(['rgba(0, 0, 0, 0)']);
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSStyleRule) || rule.selectorText !== ':root') continue;
      for (const name of rule.style) {
        if (!name.startsWith('--')) continue;
        probe.style.color = 'rgb(1, 2, 3)';
        probe.style.color = `var(${name})`;
        const colour = getComputedStyle(probe).color;
        if (colour !== 'rgb(1, 2, 3)') tokens.add(colour);
      }
    }
  }
  probe.remove();

  const nameOf = (element: Element): string => {
    const id = element.id === '' ? '' : `#${element.id}`;
    const label = element.getAttribute('aria-label');
    const text = (element.textContent ?? '').trim().replaceAll(/\s+/g, ' ').slice(0, 40);
    return `<${element.localName}${id} class="${element.getAttribute('class') ?? ''}"> ${label ?? text}`;
  };
  const ownText = (element: Element): boolean =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '');
  const isShown = (element: Element): boolean =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.closest('.visually-hidden') === null;

  const elements: Element[] = [];
  const collect = (root: Document | ShadowRoot): void => {
    for (const element of root.querySelectorAll('*')) {
      elements.push(element);
      if (element.shadowRoot !== null) collect(element.shadowRoot);
    }
  };
  collect(document);

  for (const element of elements) {
    if (!isShown(element) || element instanceof SVGElement) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) continue;
    const style = getComputedStyle(element);
    checkTokens(element, style);
    if (ownText(element)) checkClipping(element, style);
    checkTarget(element, box);
  }
  return findings;

  function checkTokens(element: Element, style: CSSStyleDeclaration): void {
    const colours: (readonly [string, string])[] = [['background', style.backgroundColor]];
    if (ownText(element)) {
      colours.push(['text', style.color]);
      const size = Number.parseFloat(style.fontSize);
      if (!sizes.includes(size)) findings.push(`size: ${String(size)} px at ${nameOf(element)}`);
    }
    for (const side of ['top', 'right', 'bottom', 'left']) {
      const drawn = style.getPropertyValue(`border-${side}-style`) !== 'none';
      if (drawn && style.getPropertyValue(`border-${side}-width`) !== '0px') {
        colours.push(['border', style.getPropertyValue(`border-${side}-color`)]);
      }
    }
    for (const [what, colour] of colours) {
      if (!tokens.has(colour)) findings.push(`colour: ${what} ${colour} at ${nameOf(element)}`);
    }
    for (const corner of ['top-left', 'top-right', 'bottom-right', 'bottom-left']) {
      const radius = Number.parseFloat(style.getPropertyValue(`border-${corner}-radius`));
      if (!radii.includes(radius)) findings.push(`radius: ${String(radius)} px at ${nameOf(element)}`);
    }
  }

  /** Text may be cut only where an ellipsis says so, or where it can be scrolled. */
  function checkClipping(element: Element, style: CSSStyleDeclaration): void {
    if (style.webkitLineClamp !== 'none' && style.webkitLineClamp !== '') return;
    const range = document.createRange();
    range.selectNodeContents(element);
    const text = range.getBoundingClientRect();
    let inside: Element | null = element;
    while (inside !== null && inside !== body) {
      const around: CSSStyleDeclaration = getComputedStyle(inside);
      if (around.overflowX === 'auto' || around.overflowX === 'scroll') return;
      if (around.textOverflow === 'ellipsis') return;
      if (around.overflowX === 'hidden' || around.overflowX === 'clip') {
        const edge = inside.getBoundingClientRect();
        // A box of one pixel holds words for screen readers alone.
        if (edge.width <= 1 && edge.height <= 1) return;
        if (text.right > edge.right + 1 || text.left < edge.left - 1) {
          findings.push(`clipped: ${nameOf(element)}`);
          return;
        }
      }
      inside = inside.parentElement;
    }
  }

  function checkTarget(element: Element, box: DOMRect): void {
    const isTarget = element.matches(
      'button, a[href], input, select, summary, [role=button], [role=tab], [role=radio], [role=menuitem], [role=option], [role=switch], [role=checkbox], [role=row][tabindex], [role=treeitem]',
    );
    // A splitter is drawn thin by the specification and is moved by arrow keys too; a slider's target is its control.
    if (!isTarget || element.closest('[role=separator]') !== null) return;
    // The label of a choice is part of its target.
    const label = element instanceof HTMLInputElement ? element.closest('label') : null;
    const target = label === null ? box : label.getBoundingClientRect();
    if (target.width < leastTarget - 0.5 || target.height < leastTarget - 0.5) {
      findings.push(`target: ${target.width.toFixed(0)} × ${target.height.toFixed(0)} px at ${nameOf(element)}`);
    }
  }
}
