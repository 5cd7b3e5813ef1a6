/** Endings for types that are common in traffic; others keep the ending of their path. */
const ENDINGS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'text/html': 'html',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/plain': 'txt',
  'text/javascript': 'js',
  'application/javascript': 'js',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'font/ttf': 'ttf',
  'font/otf': 'otf',
  'application/pdf': 'pdf',
};

const LONGEST = 100;

/**
 * A harmless file name for a captured body: the last segment of its path without anything that a file system or a person
 * could misread, with an ending that fits its type.
 */
export function fileNameFor(path: string, type: string | null): string {
  const segment = (path.split(/[?#]/)[0] ?? '').split('/').findLast((part) => part !== '') ?? '';
  const plain = segment
    .replaceAll(/%[\da-f]{2}/gi, '_')
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^[.-]+/, '')
    .slice(0, LONGEST);
  const name = plain === '' ? 'body' : plain;
  const ending = type === null ? undefined : ENDINGS[type];
  if (ending === undefined) return /\.[a-z\d]{1,8}$/i.test(name) ? name : `${name}.bin`;
  return name.toLowerCase().endsWith(`.${ending}`) ? name : `${name}.${ending}`;
}
