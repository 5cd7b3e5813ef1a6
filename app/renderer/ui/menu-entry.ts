import type { IconComponent } from './icon-component.ts';

/** What stands in a menu. */
export type MenuEntry =
  | {
      readonly kind: 'item';
      readonly id: string;
      readonly label: string;
      readonly icon?: IconComponent;
      /** The key that does the same, as shown. */
      readonly keys?: string | null;
      readonly tone?: 'plain' | 'danger';
      readonly disabled?: boolean;
      run(): void;
    }
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
