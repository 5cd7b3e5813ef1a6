import type { Snippet } from 'svelte';
import type { BodyView } from './inspector-model.svelte.ts';
import type { ViewedBody } from './viewed-body.ts';

/** Draws the body of a part: handed down, since parts stand in bodies and bodies in parts. */
export type ShowPart = Snippet<[body: ViewedBody, view: BodyView, contentType: string | null, label: string]>;
