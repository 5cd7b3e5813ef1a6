import type { TooltipState } from './tooltip.ts';

export function createTooltipState(): TooltipState {
  const state = $state<TooltipState>({ label: '', keys: undefined, anchor: null });
  return state;
}
