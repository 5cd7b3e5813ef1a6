import { seededRandom } from '../random.ts';

export interface Product {
  readonly sku: string;
  readonly title: string;
  readonly slug: string;
  readonly unitPrice: number;
  readonly currency: 'EUR';
  readonly inStock: boolean;
  readonly stock: number;
  readonly weightGrams: number;
  readonly tags: readonly string[];
  readonly image: string;
  readonly description: string;
}

const MATERIALS = ['Brass', 'Oak', 'Slate', 'Copper', 'Cast-iron', 'Larch', 'Granite', 'Galvanised'] as const;
const THINGS = [
  'float gauge',
  'sluice key',
  'stop log',
  'fish ladder step',
  'flow meter',
  'trash rack',
  'staff gauge',
  'gate wheel',
  'penstock valve',
  'level logger',
] as const;
const PRAISE = [
  'Made for small streams.',
  'Reads to the millimetre.',
  'Stands in the water for thirty winters.',
  'Comes with two stainless bolts.',
  'Fits every frame of the 40 series.',
] as const;

const FIRST_SKU = 1_040;

/** `count` invented products, always the same ones. */
export function products(count: number): readonly Product[] {
  const random = seededRandom(1_042);
  return Array.from({ length: count }, (_, index) => {
    const material = MATERIALS[index % MATERIALS.length] ?? MATERIALS[0];
    const thing = THINGS[(index * 7) % THINGS.length] ?? THINGS[0];
    const title = `${material} ${thing}`;
    const stock = random.between(0, 40);
    return {
      sku: String(FIRST_SKU + index),
      title,
      slug: title.toLowerCase().replaceAll(/[^a-z]+/g, '-'),
      unitPrice: random.between(490, 24_990) / 100,
      currency: 'EUR',
      inStock: stock > 0,
      stock,
      weightGrams: random.between(40, 9_000),
      tags: [material.toLowerCase(), thing.split(' ')[0] ?? thing, random.pick(['new', 'sale', 'classic'])],
      image: `https://cdn.weir.test/img/p/${String(FIRST_SKU + index)}-640.webp`,
      description: `${title}. ${random.pick(PRAISE)} ${random.pick(PRAISE)}`,
    };
  });
}

/** A table of `rows` invented orders, CSV with CRLF line ends (RFC 4180). */
export function ordersTable(rows: number): string {
  const random = seededRandom(8_686);
  const all = products(60);
  const lines = ['order,placed_at,sku,title,quantity,unit_price,currency,city'];
  const cities = ['Graz', 'Ghent', 'Oulu', 'Porto', 'Łódź', 'Aarhus', 'Lyon'] as const;
  for (let index = 0; index < rows; index++) {
    const product = all[random.between(0, all.length - 1)];
    if (product === undefined) continue;
    const day = String(1 + (index % 28)).padStart(2, '0');
    const month = String(1 + (Math.floor(index / 28) % 12)).padStart(2, '0');
    lines.push(
      [
        `W${String(100_000 + index)}`,
        `2025-${month}-${day}`,
        product.sku,
        product.title,
        random.between(1, 6),
        product.unitPrice.toFixed(2),
        'EUR',
        random.pick(cities),
      ].join(','),
    );
  }
  return `${lines.join('\r\n')}\r\n`;
}

/** The cart that several exchanges show and change. */
export function cart(quantity: number): object {
  const net = Math.round(quantity * 29.33 * 100) / 100;
  const tax = Math.round(net * 0.19 * 100) / 100;
  return {
    id: 'crt_8Q2ZK',
    currency: 'EUR',
    items: [{ sku: '1042', title: 'Brass float gauge', quantity, unitPrice: 34.9, inStock: true }],
    totals: { net, tax, gross: Math.round((net + tax) * 100) / 100 },
    shipping: { method: 'parcel', estimate: '2026-06-18', carbonNeutral: true },
    coupon: null,
  };
}

/** Reviews with text that tries to mislead the eye: directional overrides, zero-width characters, an escape. */
export const REVIEWS = {
  sku: '1042',
  average: 4.6,
  reviews: [
    { author: 'Inês', stars: 5, text: 'Reads true after a flood. Obrigada!' },
    { author: 'user\u202egnp.exe', stars: 1, text: 'My name is written backwards with U+202E.' },
    { author: 'zero\u200bwidth', stars: 4, text: 'There is a zero-width space in my\u200bname.' },
    { author: '水車', stars: 5, text: 'とても正確です。' },
    { author: 'bell\u0007', stars: 3, text: 'Rings.' },
  ],
};
