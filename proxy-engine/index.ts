export {
  authorityFacts,
  authorityFiles,
  certificateFacts,
  encodePkcs12,
  exportAuthority,
  exportAuthorityWithKey,
  loadCertificateAuthority,
  openAuthorityFolder,
  PkiError,
  publicKeyHash,
} from './pki/index.ts';
export type { AuthorityFacts, AuthorityFormat, CertificateAuthorityPem, StoredAuthority } from './pki/index.ts';
