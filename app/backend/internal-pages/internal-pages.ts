import { createHash } from 'node:crypto';
import type { InternalPage } from '#engine';
import { exportAuthority } from '#engine';
import type { CertificateAuthorityInfo } from '#contract';
import { escapeHtml } from './page-frame.ts';
import { CERTIFICATE_PATHS, renderSetupPage } from './setup-page.ts';
import { renderWelcomePage, WELCOME_PATH } from './welcome-page.ts';

/** What the engine answers at the magic host and on plain visits to the proxy port, by path: never a key. */
export function createInternalPages(
  authority: CertificateAuthorityInfo,
  certificatePem: string,
): Record<string, InternalPage> {
  const der = exportAuthority(certificatePem, 'der');
  const file = (contentType: string, fileName: string, body: Uint8Array): InternalPage => ({
    status: 200,
    contentType,
    fileName,
    body,
  });
  const page = (html: string): InternalPage => ({
    status: 200,
    contentType: 'text/html; charset=utf-8',
    fileName: null,
    body: Buffer.from(html),
  });
  return {
    '/': page(renderSetupPage(authority)),
    [WELCOME_PATH]: page(renderWelcomePage()),
    [CERTIFICATE_PATHS.pem]: file('application/x-pem-file', 'weir-ca.pem', exportAuthority(certificatePem, 'pem')),
    [CERTIFICATE_PATHS.der]: file('application/x-x509-ca-cert', 'weir-ca.der', der),
    [CERTIFICATE_PATHS.crt]: file('application/x-x509-ca-cert', 'weir-ca.crt', der),
    [CERTIFICATE_PATHS.cer]: file('application/x-x509-ca-cert', 'weir-ca.cer', der),
    [CERTIFICATE_PATHS.p12]: file('application/x-pkcs12', 'weir-ca.p12', exportAuthority(certificatePem, 'p12')),
    [CERTIFICATE_PATHS.profile]: file(
      'application/x-apple-aspen-config',
      'weir-ca.mobileconfig',
      Buffer.from(renderProfile(authority.subject, der)),
    ),
  };
}

/** An Apple configuration profile that holds the certificate alone. */
function renderProfile(subject: string, der: Buffer): string {
  const digest = createHash('sha256').update(der).digest('hex');
  const payload = uuidOf(digest.slice(0, 32));
  const profile = uuidOf(digest.slice(32));
  const name = escapeHtml(subject);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>PayloadContent</key>
  <array>
    <dict>
      <key>PayloadType</key><string>com.apple.security.root</string>
      <key>PayloadIdentifier</key><string>weir.ca.${payload}</string>
      <key>PayloadUUID</key><string>${payload}</string>
      <key>PayloadVersion</key><integer>1</integer>
      <key>PayloadDisplayName</key><string>${name}</string>
      <key>PayloadCertificateFileName</key><string>weir-ca.cer</string>
      <key>PayloadContent</key>
      <data>${der.toString('base64')}</data>
    </dict>
  </array>
  <key>PayloadDisplayName</key><string>${name}</string>
  <key>PayloadIdentifier</key><string>weir.profile.${profile}</string>
  <key>PayloadType</key><string>Configuration</string>
  <key>PayloadUUID</key><string>${profile}</string>
  <key>PayloadVersion</key><integer>1</integer>
</dict>
</plist>
`;
}

function uuidOf(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toUpperCase();
}
