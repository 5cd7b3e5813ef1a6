import type { ByteSource } from '../../ui/byte-source.ts';

/** What the components are shown with; hostile texts stand here, where no reader of a template stumbles over them. */
export const HIDING_TEXT = 'photo_\u202egnp.exe zero\u200bwidth bell\u0007';

export const JSON_TEXT = `{
  "sku": "1042",
  "quantity": 2,
  "inStock": true,
  "note": "a\u202eb",
  "tags": ["brass", null]
}`;

export const FIELDS = [
  ['Content-Type', 'application/json; charset=utf-8'],
  ['Set-Cookie', 'cart=crt_8Q2ZK; Path=/; Secure; HttpOnly; SameSite=Lax; Expires=Tue, 15 Jun 2027 09:30:00 GMT'],
  ['Content-Disposition', 'inline; filename="photo_\u202egnp.exe"'],
  ['X-Empty', ''],
] as const;

const HUGE_BYTES = 100 * 1_048_576;

/** A hundred megabytes that are made when they are read. */
export const HUGE_SOURCE: ByteSource = {
  size: HUGE_BYTES,
  read: (offset, length) =>
    Promise.resolve(
      Uint8Array.from({ length: Math.min(length, HUGE_BYTES - offset) }, (_, index) => (offset + index) & 255),
    ),
};

export const UNREADABLE_SOURCE: ByteSource = {
  size: 64,
  read: () => Promise.reject(new Error('The body was not kept.')),
};

/** Its name is longer than any column. */
export const CHOSEN_FILE = new File([], `client-${'certificate-'.repeat(12)}photo_\u202egnp.p12`);
