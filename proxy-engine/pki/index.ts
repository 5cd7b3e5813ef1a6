export { authorityFiles, openAuthorityFolder, type StoredAuthority } from './authority-folder.ts';
export {
  createCertificateAuthority,
  loadCertificateAuthority,
  type CertificateAuthorityPem,
} from './certificate-authority.ts';
export { certificateFacts, chainFacts } from './certificate-facts.ts';
export {
  authorityFacts,
  exportAuthority,
  exportAuthorityWithKey,
  publicKeyHash,
  type AuthorityFacts,
  type AuthorityFormat,
} from './export-authority.ts';
export { createLeafForge, type Leaf, type LeafForge, type LeafForgeOptions, type LeafKey } from './leaf-forge.ts';
export { encodePkcs12, type Pkcs12Certificate, type Pkcs12Content } from './pkcs12.ts';
export { PkiError, type PkiErrorCode } from './pki-error.ts';
