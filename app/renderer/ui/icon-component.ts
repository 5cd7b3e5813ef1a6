import type { Component } from 'svelte';

/** An icon of `@lucide/svelte`, imported singly. Drawn at 16 px with a stroke of 1.5. */
export type IconComponent = Component<{ size?: number; strokeWidth?: number; 'aria-hidden'?: boolean }>;
