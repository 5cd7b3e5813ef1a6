import { authorityFacts, exportAuthority, exportAuthorityWithKey, openAuthorityFolder } from '#engine';
import type { CertificateAuthorityPem } from '#engine';
import { defaultDataFolder, prepareDataFolder } from '../../backend/data-folder.ts';
import { parseArguments, parseChoice } from '../arguments.ts';
import { print, tell } from '../output.ts';
import { UsageError } from '../usage.ts';
import { writeResultFile } from '../result-file.ts';
import { forgetKept, importAuthorityFiles, rotateAuthority, showKept } from './ca-change.ts';
import { trustIn, untrustIn } from './ca-trust.ts';

/** `weir ca …` */
export async function ca(args: readonly string[]): Promise<number> {
  const [action = ''] = args;
  switch (action) {
    case 'show':
      return show(args.slice(1));
    case 'export':
      return exportCertificate(args.slice(1));
    case 'trust':
      return changeTrust(args.slice(1));
    case 'untrust':
      return removeTrust(args.slice(1));
    case 'rotate':
      return rotateAuthority(args.slice(1));
    case 'import':
      return importAuthorityFiles(args.slice(1));
    case 'kept':
      return showKept(args.slice(1));
    case 'forget':
      return forgetKept(args.slice(1));
    default:
      throw new UsageError(
        `\`weir ca\` is followed by show, export, trust, untrust, rotate, import, kept or forget, not ${JSON.stringify(action)}.`,
      );
  }
}

async function show(args: readonly string[]): Promise<number> {
  const { values } = parseArguments(args, { data: { type: 'string' } });
  const { pem, file } = await openAuthority(values.data);
  const { subject, notBefore, notAfter, fingerprint, key, daysLeft } = authorityFacts(pem.certificate, Date.now());
  await print(
    [
      `subject      ${subject}`,
      `valid        ${notBefore} to ${notAfter} (${String(daysLeft)} days left)`,
      `key          ${key}`,
      `fingerprint  ${fingerprint} (SHA-256)`,
      `file         ${file}`,
      '',
    ].join('\n'),
  );
  return 0;
}

async function exportCertificate(args: readonly string[]): Promise<number> {
  const { values } = parseArguments(args, {
    format: { type: 'string', default: 'pem' },
    'with-key': { type: 'boolean', default: false },
    output: { type: 'string', short: 'o' },
    data: { type: 'string' },
  });
  const format = parseChoice('--format', values.format, ['pem', 'der', 'p12']);
  const { pem } = await openAuthority(values.data);
  const bytes = values['with-key'] ? withKey(pem, format) : exportAuthority(pem.certificate, format);
  if (values.output === undefined) await print(bytes);
  else writeResultFile(values.output, bytes);
  return 0;
}

async function changeTrust(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { data: { type: 'string' } }, ['STORE']);
  const { pem, file } = await openAuthority(values.data);
  return trustIn(pem.certificate, file, positionals[0]);
}

async function removeTrust(args: readonly string[]): Promise<number> {
  const options = { data: { type: 'string' }, all: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArguments(args, options, ['STORE']);
  const { pem, file } = await openAuthority(values.data);
  return untrustIn(pem.certificate, file, positionals[0], values.all);
}

function withKey(pem: CertificateAuthorityPem, format: 'pem' | 'der' | 'p12'): Buffer {
  if (format === 'der') throw new UsageError('DER holds a certificate alone. Use --format p12 or pem with --with-key.');
  const password = process.env['WEIR_KEY_PASSWORD'] ?? '';
  if (password === '') {
    throw new UsageError('--with-key wants a password for the key in the environment variable WEIR_KEY_PASSWORD.');
  }
  return exportAuthorityWithKey(pem, format, password);
}

async function openAuthority(data: string | undefined): Promise<{ pem: CertificateAuthorityPem; file: string }> {
  const folder = prepareDataFolder(data ?? defaultDataFolder());
  const { pem, certificateFile, notices } = await openAuthorityFolder(folder.certificateAuthority);
  for (const notice of notices) tell(notice);
  return { pem, file: certificateFile };
}
