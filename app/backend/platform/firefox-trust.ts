import { createHash, X509Certificate } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import type { Database } from 'better-sqlite3';
import { readCertificateFields } from '#engine';

/*
 * The certificate database of a fresh Firefox profile, made without Firefox and without NSS's tools: the file `cert9.db`, in
 * which NSS keeps its public objects. Profiles outlive many versions of Firefox, so its form is stable: a row for each object,
 * a column for each kind of attribute (PKCS #11 v3.1 §4 and `pkcs11n.h` of NSS), numbers as four bytes, the greatest first.
 *
 * Values of trust are signed with a key made of the user's password, where one is set, and an empty one is a password too. A
 * profile without `key4.db` has none yet: at its first start Firefox sets the empty one, and signs what it finds.
 */

/** The attributes that NSS knew in 2023; newer ones add the columns that they miss, older ones ask by name. */
const COLUMNS = `
  a0 a1 a2 a3 a10 a11 a12 a80 a81 a82 a83 a84 a85 a86 a87 a88 a89 a8a a8b a90 a100 a101 a102 a103 a104
  a105 a106 a107 a108 a109 a10a a10b a10c a110 a111 a120 a121 a122 a123 a124 a125 a126 a127 a128 a129
  a130 a131 a132 a133 a134 a160 a161 a162 a163 a164 a165 a166 a170 a180 a181 a200 a201 a202 a210 a300
  a301 a302 a400 a401 a402 a403 a404 a405 a406 a480 a481 a482 a500 a501 a502 a503 a40000211 a40000212
  a80000001 ace534351 ace534352 ace534353 ace534354 ace534355 ace534356 ace534357 ace534358 ace534364
  ace534365 ace534366 ace534367 ace534368 ace534369 ace534373 ace534374 ace536351 ace536352 ace536353
  ace536354 ace536355 ace536356 ace536357 ace536358 ace536359 ace53635a ace53635b ace53635c ace53635d
  ace53635e ace53635f ace536360 ace5363b4 ace5363b5 ad5a0db00`;

const ATTRIBUTE = {
  class: 'a0',
  token: 'a1',
  private: 'a2',
  label: 'a3',
  value: 'a11',
  certificateType: 'a80',
  issuer: 'a81',
  serialNumber: 'a82',
  subject: 'a101',
  id: 'a102',
  modifiable: 'a170',
  trustServer: 'ace536358',
  trustClient: 'ace536359',
  trustCode: 'ace53635a',
  trustMail: 'ace53635b',
  stepUp: 'ace536360',
  sha1: 'ace5363b4',
  md5: 'ace5363b5',
} as const;

type Attributes = Readonly<Partial<Record<keyof typeof ATTRIBUTE, Buffer>>>;

const TRUE = Buffer.of(1);
const FALSE = Buffer.of(0);
const X509 = number(0);
const CERTIFICATE = number(0x1);
const TRUST = number(0xce53_4353);
const TRUSTED_AUTHORITY = number(0xce53_4352);
/** Nothing is said for this use: the chain decides. */
const NOT_SAID = number(0xce53_4353);

/**
 * Writes the database of a profile that trusts one authority to certify servers, and for nothing else: what certutil writes
 * for `C,,`.
 *
 * @param file does not exist yet
 * @param pem the authority's certificate
 * @throws SqliteError when the file cannot be written
 */
export async function writeFirefoxTrust(file: string, pem: string): Promise<void> {
  const { raw } = new X509Certificate(pem);
  const { subject, issuer, serialNumber, publicKey, subjectKeyIdentifier } = readCertificateFields(raw);
  const common = { token: TRUE, private: FALSE, modifiable: TRUE, issuer, serialNumber };
  // Loaded when it is needed: a start of Weir does without it.
  const { default: SqliteFile } = await import('better-sqlite3');
  const database = new SqliteFile(file);
  try {
    await chmod(file, 0o600);
    const columns = COLUMNS.trim().replace(/\s+/g, ', ');
    database.exec(`CREATE TABLE nssPublic (id PRIMARY KEY UNIQUE ON CONFLICT ABORT, ${columns})`);
    for (const [name, column] of [
      ['issuer', ATTRIBUTE.issuer],
      ['subject', ATTRIBUTE.subject],
      ['label', ATTRIBUTE.label],
      ['ckaid', ATTRIBUTE.id],
    ])
      database.exec(`CREATE INDEX ${name} ON nssPublic (${column})`);
    insert(database, 1, {
      ...common,
      class: CERTIFICATE,
      label: Buffer.from('Weir CA'),
      value: raw,
      certificateType: X509,
      subject,
      id: subjectKeyIdentifier ?? digest('sha1', publicKey),
    });
    insert(database, 2, {
      ...common,
      class: TRUST,
      trustServer: TRUSTED_AUTHORITY,
      trustClient: NOT_SAID,
      trustCode: NOT_SAID,
      trustMail: NOT_SAID,
      stepUp: FALSE,
      sha1: digest('sha1', raw),
      md5: digest('md5', raw),
    });
  } finally {
    database.close();
  }
}

function insert(database: Database, id: number, attributes: Attributes): void {
  const entries = Object.entries(ATTRIBUTE).flatMap(([name, column]) => {
    const value = attributes[name as keyof Attributes];
    return value === undefined ? [] : [[column, value] as const];
  });
  const columns = entries.map(([column]) => column).join(', ');
  database
    .prepare(`INSERT INTO nssPublic (id, ${columns}) VALUES (?${', ?'.repeat(entries.length)})`)
    .run(id, ...entries.map(([, value]) => value));
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function digest(algorithm: 'sha1' | 'md5', bytes: Buffer): Buffer {
  return createHash(algorithm).update(bytes).digest();
}
