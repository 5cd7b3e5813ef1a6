import { exportAuthority } from '#engine';
import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers } from '../transport/server.ts';

/** The certificate leaves by this call; its key never does. */
export function createCaCalls({ authority }: BackendCore): Pick<CallHandlers, 'ca.export'> {
  return {
    'ca.export': ({ format }) => ({
      bytes: exportAuthority(authority.pem.certificate, format),
      fileName: `weir-ca.${format}`,
    }),
  };
}
