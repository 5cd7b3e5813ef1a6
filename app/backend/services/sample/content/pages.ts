import { products } from './catalogue.ts';

/** The home page of the shop. */
export function homePage(): string {
  const cards = products(12)
    .map(
      (product) => `      <li class="card" data-sku="${product.sku}">
        <a href="/p/${product.slug}"><img src="${product.image}" width="320" height="240" alt="${product.title}" loading="lazy"></a>
        <h2>${product.title}</h2>
        <p class="price">€ ${product.unitPrice.toFixed(2)}</p>
        <button type="button" ${product.inStock ? '' : 'disabled'}>Add to cart</button>
      </li>`,
    )
    .join('\n');
  return page(
    'Weir Shop: things for small streams',
    `    <section class="hero">
      <h1>Things for small streams</h1>
      <p>Gauges, gates and grates for people who look after water.</p>
    </section>
    <ul class="grid">
${cards}
    </ul>`,
  );
}

/** Any other page of the shop: a title and one paragraph. */
export function simplePage(title: string, text: string): string {
  return page(`${title} · Weir Shop`, `    <h1>${title}</h1>\n    <p>${text}</p>`);
}

function page(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="https://cdn.weir.test/assets/app.8f2c1d.css">
    <link rel="preload" href="https://cdn.weir.test/fonts/weir-pixel.woff" as="font" type="font/woff" crossorigin>
    <script type="module" src="https://cdn.weir.test/assets/app.3b77aa.js"></script>
  </head>
  <body>
    <header><a href="/" class="logo">Weir Shop</a><nav><a href="/new">New</a> <a href="/sale">Sale</a> <a href="/account">Account</a></nav></header>
    <main>
${main}
    </main>
    <footer>An invented shop. Nothing here is for sale.</footer>
  </body>
</html>
`;
}

/** The shop's style sheet: minified, as build tools leave it. */
export function styleSheet(): string {
  const rules = [
    ':root{--water:#0a6475;--stone:#47555d;--foam:#f1f4f5;color-scheme:light dark}',
    '*{box-sizing:border-box}body{margin:0;font:16px/1.5 "Weir Pixel",system-ui,sans-serif;color:var(--stone);background:var(--foam)}',
    'header{display:flex;justify-content:space-between;padding:12px 24px;border-bottom:1px solid #dbe1e4}',
    '.logo{font-weight:600;color:var(--water);text-decoration:none}nav a{margin-left:16px}',
    '.hero{padding:64px 24px;background:url("/img/weir-hero.webp") center/cover;color:#fff}',
    '.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(240px,1fr));gap:24px;padding:24px;list-style:none}',
    '.card{border:1px solid #dbe1e4;border-radius:8px;overflow:hidden}.card:hover{border-color:var(--water)}',
    '.price{font-variant-numeric:tabular-nums}',
    '@font-face{font-family:"Weir Pixel";src:url("https://cdn.weir.test/fonts/weir-pixel.woff") format("woff");font-display:swap}',
    '@media (prefers-color-scheme:dark){body{background:#0e1214;color:#e4eaed}}',
    '@media (max-width:640px){.grid{grid-template-columns:1fr 1fr;gap:8px;padding:8px}}',
  ];
  const spacing = Array.from(
    { length: 240 },
    (_, step) => `.m-${String(step)}{margin:${String(step * 4)}px}.p-${String(step)}{padding:${String(step * 4)}px}`,
  );
  return `${rules.join('')}${spacing.join('')}\n`;
}

/** The shop's program, readable. */
export function program(): string {
  const handlers = products(40)
    .map((product) => `  ['${product.sku}', { slug: '${product.slug}', price: ${String(product.unitPrice)} }],`)
    .join('\n');
  return `// Weir Shop, invented for the sample traffic.
import { h, render } from './vendor.c01d9e.js';

const API = 'https://api.weir.test/v2';
const KNOWN = new Map([
${handlers}
]);

/** Adds one product to the cart and shows the new total. */
export async function addToCart(sku, quantity = 1) {
  const answer = await fetch(\`\${API}/cart/items\`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sku, quantity }),
  });
  if (answer.status === 429) return retryLater(Number(answer.headers.get('retry-after') ?? 1));
  if (!answer.ok) throw new Error(\`The cart answered \${answer.status}\`);
  const { totals } = await answer.json();
  render(h('output', { class: 'total' }, totals.gross.toFixed(2)), document.querySelector('#cart'));
}

function retryLater(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

for (const card of document.querySelectorAll('.card')) {
  card.querySelector('button')?.addEventListener('click', () => addToCart(card.dataset.sku));
}

export const has = (sku) => KNOWN.has(sku);
`;
}

/** A library as it is shipped: one long line. */
export function vendorProgram(): string {
  const functions = Array.from(
    { length: 420 },
    (_, index) =>
      `function n${String(index)}(t,e){return t==null?e:t.type===${String(index)}?{...t,props:e}:n${String((index + 1) % 420)}(t.child,e)}`,
  );
  return `/*! vendor 1.4.0 | MIT | invented */${functions.join(';')};export{n0 as h,n1 as render};\n`;
}

export const LOGO_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" role="img" aria-label="Weir Shop">
  <rect width="96" height="96" rx="20" fill="#0A6475"/>
  <g fill="none" stroke="#fff" stroke-width="6" stroke-linecap="round">
    <path d="M20 28h24l10 10h22"/>
    <path d="M20 42h18l10 10h28"/>
    <path d="M20 56h12l10 10h34"/>
    <path d="M20 78h56"/>
  </g>
</svg>
`;

export const SITE_MAP = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${products(
  24,
)
  .map(
    (product) =>
      `<url><loc>https://shop.weir.test/p/${product.slug}</loc><lastmod>2026-06-01</lastmod><priority>0.8</priority></url>`,
  )
  .join('')}</urlset>`;
