import { mount } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import TooltipLayer from './tooltip-layer.svelte';
import { createTooltipState } from './tooltip-state.svelte.ts';

/** What the one tooltip of the page shows; without an anchor, nothing. */
export interface TooltipState {
  label: string;
  keys: string | undefined;
  anchor: DOMRect | null;
}

const DELAY_MILLISECONDS = 400;
/** Moving to a neighbour soon after a tooltip closed opens the next one at once. */
const WARM_MILLISECONDS = 300;

let layer: TooltipState | null = null;
let owner: Element | null = null;
let closedAt = -Infinity;

function state(): TooltipState {
  if (layer === null) {
    layer = createTooltipState();
    mount(TooltipLayer, { target: document.body, props: { shown: layer } });
  }
  return layer;
}

function close(of: Element): void {
  if (owner !== of) return;
  owner = null;
  state().anchor = null;
  closedAt = performance.now();
}

/**
 * Shows `label`, and the key that does the same, beneath an element: 400 ms after the pointer came, at once on keyboard
 * focus. Escape, a press and leaving hide it. It repeats the element's name, so it is hidden from screen readers.
 */
export function tooltip(label: string, keys?: string): Attachment<HTMLElement> {
  return (element) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = (): void => {
      owner = element;
      Object.assign(state(), { label, keys, anchor: element.getBoundingClientRect() });
    };
    const hide = (): void => {
      clearTimeout(timer);
      close(element);
    };
    const onEnter = (event: PointerEvent): void => {
      if (event.pointerType === 'touch') return;
      clearTimeout(timer);
      timer = setTimeout(open, performance.now() - closedAt < WARM_MILLISECONDS ? 0 : DELAY_MILLISECONDS);
    };
    const onFocus = (): void => {
      if (element.matches(':focus-visible')) open();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') hide();
    };
    const listeners = new AbortController();
    const { signal } = listeners;
    element.addEventListener('pointerenter', onEnter, { signal });
    element.addEventListener('pointerleave', hide, { signal });
    element.addEventListener('pointerdown', hide, { signal });
    element.addEventListener('focus', onFocus, { signal });
    element.addEventListener('blur', hide, { signal });
    element.addEventListener('keydown', onKey, { signal });
    return () => {
      listeners.abort();
      hide();
    };
  };
}
