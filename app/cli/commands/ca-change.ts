import { readFile } from 'node:fs/promises';
import type { AuthorityChange, ContractClient, LeftTrust } from '#contract';
import { MAX_CERTIFICATE_BYTES } from '#contract';
import { parseArguments } from '../arguments.ts';
import { print, tell } from '../output.ts';
import { withBackend } from '../short-backend.ts';
import { CommandError, UsageError } from '../usage.ts';

/** `weir ca rotate [--move-trust]` */
export async function rotateAuthority(args: readonly string[]): Promise<number> {
  const { values } = parseArguments(args, CHANGE_OPTIONS);
  return withBackend(values.data, [], async (client) =>
    report(client, await client.call('ca.rotate', {}), values['move-trust']),
  );
}

/** `weir ca import CERTIFICATE [KEY] [--move-trust]` */
export async function importAuthorityFiles(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, CHANGE_OPTIONS, ['CERTIFICATE', 'KEY']);
  const [certificateFile, keyFile] = positionals;
  if (certificateFile === undefined) throw new UsageError('`weir ca import` wants the file of a certificate.');
  const given = {
    certificate: await readGiven(certificateFile),
    key: keyFile === undefined ? null : await readGiven(keyFile),
    passphrase: process.env['WEIR_KEY_PASSWORD'] ?? '',
  };
  return withBackend(values.data, [], async (client) =>
    report(client, await client.call('ca.import', given), values['move-trust']),
  );
}

/** `weir ca kept` */
export async function showKept(args: readonly string[]): Promise<number> {
  const { values } = parseArguments(args, { data: { type: 'string' } });
  const { kept } = await withBackend(values.data, [], (client) => client.call('ca.kept', {}));
  for (const { name, subject, notAfter, fingerprint, left } of kept) {
    await print(`${name}  ${subject}, until ${notAfter.slice(0, 10)}, ${fingerprint}\n`);
    for (const store of left) await print(`  still trusted by ${store.name}: ${store.untrustLine}\n`);
  }
  if (kept.length === 0) tell('No old authority is kept.');
  return 0;
}

/** `weir ca forget NAME [--move-trust]` */
export async function forgetKept(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, CHANGE_OPTIONS, ['NAME']);
  const [name] = positionals;
  if (name === undefined)
    throw new UsageError('`weir ca forget` wants the name of an old authority; see `weir ca kept`.');
  return withBackend(values.data, [], async (client) => {
    if (values['move-trust'] && !(await moved(client, name))) return 1;
    await client.call('ca.forget', { name });
    await print(`${name} is deleted with its key.\n`);
    return 0;
  });
}

const CHANGE_OPTIONS = {
  data: { type: 'string' },
  'move-trust': { type: 'boolean', default: false },
} as const;

async function report(client: ContractClient, change: AuthorityChange, movesTrust: boolean): Promise<number> {
  const { authority, kept, left, notices } = change;
  for (const notice of notices) tell(notice);
  await print(
    [
      `subject      ${authority.subject}`,
      `valid        ${authority.notBefore} to ${authority.notAfter} (${String(authority.daysLeft)} days left)`,
      `fingerprint  ${authority.fingerprint} (SHA-256)`,
      `file         ${authority.file}`,
      `before       ${kept.name} (${kept.fingerprint}), kept until \`weir ca forget ${kept.name}\``,
      '',
    ].join('\n'),
  );
  tell('Connections from now on get its leaves. Browsers and programs that Weir started before must be started again.');
  if (left.length === 0) return 0;
  if (movesTrust) return (await moved(client, kept.name)) ? 0 : 1;
  for (const store of left) tell(leftLine(store));
  return 0;
}

function leftLine({ name, trustLine, untrustLine }: LeftTrust): string {
  return `${name} still trusts the old authority. With --move-trust Weir changes what it may; by hand: ${trustLine} && ${untrustLine}`;
}

async function moved(client: ContractClient, name: string): Promise<boolean> {
  const { stores } = await client.call('ca.moveTrust', { name });
  for (const store of stores) {
    if (store.problem === null) await print(`${store.name}: trusts the new authority and no longer the old one\n`);
    else tell(`${store.name}: ${store.problem}`);
  }
  return stores.every(({ problem }) => problem === null);
}

async function readGiven(path: string): Promise<Uint8Array> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (bytes.length === 0 || bytes.length > MAX_CERTIFICATE_BYTES) {
    throw new CommandError(`${path} is empty or longer than 256 KiB: it is no file of a certificate or a key.`);
  }
  return new Uint8Array(bytes);
}
