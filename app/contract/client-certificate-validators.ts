import * as v from 'valibot';
import { MAX_CERTIFICATE_BYTES, type ClientCertificateCalls } from './client-certificate-calls.ts';

type Inputs = {
  readonly [Name in keyof ClientCertificateCalls]: v.GenericSchema<unknown, ClientCertificateCalls[Name]['input']>;
};

/** A file of a certificate or a key. */
export const certificateFile = v.pipe(
  v.instance(Uint8Array),
  v.check(({ length }) => length > 0 && length <= MAX_CERTIFICATE_BYTES, 'The file is empty or longer than 256 KiB.'),
);

/** A schema for the input of each call. */
export const CLIENT_CERTIFICATE_INPUTS: Inputs = {
  'clientCertificates.list': v.strictObject({}),
  'clientCertificates.add': v.strictObject({
    host: v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1, 'Name the host that it is for.'),
      v.maxLength(300),
      v.regex(/^[^\s\p{Cc}/]+$/u, 'A host is a name without scheme and path.'),
    ),
    certificate: certificateFile,
    key: v.nullable(certificateFile),
    passphrase: v.pipe(v.string(), v.maxLength(1_024)),
  }),
  'clientCertificates.remove': v.strictObject({ id: v.pipe(v.string(), v.minLength(1), v.maxLength(64)) }),
};
