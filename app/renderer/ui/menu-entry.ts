import type { IconComponent } from './icon-component.ts';

/** A line of a menu that does something. */
export interface MenuItem {
  readonly kind: 'item';
  readonly id: string;
  readonly label: string;
  readonly icon?: IconComponent;
  /** Colour of a label, 1 to 6, in place of an icon. */
  readonly swatch?: number;
  /** The key that does the same, as shown. */
  readonly keys?: string | null;
  readonly tone?: 'plain' | 'danger';
  readonly disabled?: boolean;
  run(): void;
}

/** What stands in a menu. */
export type MenuEntry =
  | MenuItem
  | {
      readonly kind: 'check';
      readonly id: string;
      readonly label: string;
      readonly checked: boolean;
      set(checked: boolean): void;
    }
  | {
      readonly kind: 'menu';
      readonly id: string;
      readonly label: string;
      readonly icon?: IconComponent;
      readonly entries: readonly MenuEntry[];
    }
  | { readonly kind: 'line'; readonly id: string };
