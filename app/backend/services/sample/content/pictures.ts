import { png, webp } from './images.ts';

const DEEP = 0x0a6475;
const FOAM = 0xf1f4f5;

function mix(from: number, to: number, share: number): number {
  const channel = (shift: number): number => {
    const start = (from >> shift) & 255;
    return Math.round(start + (((to >> shift) & 255) - start) * share) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}

const WATER = Array.from({ length: 16 }, (_, index) => mix(DEEP, FOAM, index / 15));

/** Which of the sixteen water colours a point of the stream has: three sheets that step down over a bar. */
function stream(x: number, y: number, phase: number): number {
  const step = Math.floor(x * 3 + 0.15 * Math.sin(y * 9 + phase));
  const level = y - 0.18 - step * 0.16;
  if (level < 0) return Math.max(0, 14 - Math.floor(-level * 20));
  const ripple = Math.sin(x * 40 + y * 60 + phase) + Math.sin(x * 13 - y * 31 + phase * 2);
  return Math.max(0, Math.min(15, Math.floor(6 - level * 7 + ripple * 1.6)));
}

/** The wide picture of the home page. */
export function heroPicture(): Buffer {
  return webp(480, 240, WATER, (x, y) => stream(x, y, 0.4));
}

const METALS = [0xb58b3a, 0x8a5a2b, 0x4e5a62, 0xb0623c, 0x3c4248, 0x9c7442, 0x7d8388, 0x9aa4ab] as const;

function palette(metal: number): readonly number[] {
  return Array.from({ length: 16 }, (_, index) =>
    index < 10
      ? mix(0xeef2f3, 0xdbe1e4, index / 9)
      : mix(mix(metal, 0xffffff, 0.45), mix(metal, 0, 0.35), (index - 10) / 5),
  );
}

/** A product on a pale ground: a ring and a stem whose size depends on `number`. */
export function productPicture(number: number): Buffer {
  const metal = METALS[number % METALS.length] ?? METALS[0];
  const radius = 0.22 + (number % 5) * 0.02;
  return webp(200, 150, palette(metal), (x, y) => {
    const dx = (x - 0.5) * 1.33;
    const dy = y - 0.46;
    const distance = Math.hypot(dx, dy);
    const inRing = distance < radius && distance > radius * 0.62;
    const inSpoke = distance <= radius * 0.62 && (Math.abs(dx) < 0.025 || (number % 2 === 0 && Math.abs(dy) < 0.025));
    const inStem = y > 0.46 + radius * 0.9 && y < 0.92 && Math.abs(dx) < 0.04;
    if (inRing || inSpoke || inStem) return 10 + Math.min(5, Math.max(0, Math.floor((dx + dy + 0.5) * 6)));
    return Math.min(9, Math.floor(y * 8 + distance * 3));
  });
}

/** A badge in true colour. */
export function badgePicture(): Buffer {
  return png(128, 128, (x, y) => {
    const distance = Math.hypot(x - 0.5, y - 0.5);
    if (distance > 0.48) return FOAM;
    return Math.abs(y - 0.35 - Math.floor(x * 3) * 0.08) < 0.03 ? 0xffffff : mix(DEEP, 0x4cc4d9, distance * 1.6);
  });
}
