export { authorityFiles, openAuthorityFolder, type StoredAuthority } from './authority-folder.ts';
export {
  createCertificateAuthority,
  loadCertificateAuthority,
  type CertificateAuthorityPem,
} from './certificate-authority.ts';
export { certificateFacts, chainFacts } from './certificate-facts.ts';
export { readCertificateFields } from './certificate-fields.ts';
export {
  authorityFacts,
  exportAuthority,
  exportAuthorityWithKey,
  publicKeyHash,
  type AuthorityFacts,
  type AuthorityFormat,
} from './export-authority.ts';
export { importAuthority } from './import-authority.ts';
export { listKeptAuthorities, removeKeptAuthority, replaceAuthority, type KeptAuthority } from './kept-authorities.ts';
export { issueCertificate } from './issue-certificate.ts';
export { createLeafForge, type LeafForge } from './leaf-forge.ts';
export { encodePkcs12 } from './pkcs12.ts';
export { PkiError } from './pki-error.ts';
