import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Where a window stood; whole device-independent pixels. */
export interface WindowBounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly maximized: boolean;
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const SMALLEST_WINDOW = { width: 720, height: 480 } as const;

/**
 * The bounds that were kept, if the file is sound and the window would still be reachable: its title bar must show at
 * least 120 × 20 px on one of the screens of now.
 */
export function readWindowBounds(file: string, screens: readonly Area[]): WindowBounds | null {
  let kept: unknown;
  try {
    kept = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
  if (!isBounds(kept)) return null;
  const title = { x: kept.x, y: kept.y, width: kept.width, height: 44 };
  return screens.some((screen) => overlaps(title, screen, 120, 20)) ? kept : null;
}

/** Keeps bounds; a folder that cannot be written costs only the memory of them. */
export function keepWindowBounds(file: string, bounds: WindowBounds): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(bounds), { mode: 0o600 });
  } catch {
    // The next window opens in the middle of the screen.
  }
}

function isBounds(value: unknown): value is WindowBounds {
  if (typeof value !== 'object' || value === null) return false;
  const bounds = value as Partial<Record<keyof WindowBounds, unknown>>;
  return (
    [bounds.x, bounds.y].every((number) => Number.isSafeInteger(number)) &&
    [bounds.width, bounds.height].every((number) => Number.isSafeInteger(number)) &&
    (bounds.width as number) >= SMALLEST_WINDOW.width &&
    (bounds.height as number) >= SMALLEST_WINDOW.height &&
    typeof bounds.maximized === 'boolean'
  );
}

function overlaps(one: Area, other: Area, width: number, height: number): boolean {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return across >= width && down >= height;
}
