import type { CertificateAuthorityInfo } from '#contract';
import { escapeHtml, renderPage } from './page-frame.ts';

/** Where the certificate can be had below the magic host, by format. */
export const CERTIFICATE_PATHS = {
  pem: '/ca.pem',
  der: '/ca.der',
  crt: '/ca.crt',
  cer: '/ca.cer',
  p12: '/ca.p12',
  profile: '/ca.mobileconfig',
} as const;

interface Guide {
  readonly title: string;
  readonly path: string;
  readonly link: string;
  readonly steps: readonly string[];
}

const GUIDES: readonly Guide[] = [
  {
    title: 'iPhone and iPad',
    path: CERTIFICATE_PATHS.profile,
    link: 'Download the profile',
    steps: [
      'Open this page in Safari and download the profile.',
      'Settings › General › VPN & Device Management: install “Weir CA”.',
      'Settings › General › About › Certificate Trust Settings: switch it on.',
    ],
  },
  {
    title: 'Android',
    path: CERTIFICATE_PATHS.crt,
    link: 'Download the certificate',
    steps: [
      'Settings › Security › Encryption & credentials › Install a certificate › CA certificate.',
      'Choose the downloaded file. Browsers trust it then; other apps only when they accept user certificates.',
    ],
  },
  {
    title: 'macOS',
    path: CERTIFICATE_PATHS.pem,
    link: 'Download the certificate',
    steps: [
      'Open the file: Keychain Access adds it to your login keychain.',
      'Double-click it there, open Trust, and choose “Always Trust” for SSL.',
    ],
  },
  {
    title: 'Windows',
    path: CERTIFICATE_PATHS.cer,
    link: 'Download the certificate',
    steps: [
      'Open the file and choose Install Certificate › Current User.',
      'Place it in “Trusted Root Certification Authorities”.',
    ],
  },
  {
    title: 'Linux',
    path: CERTIFICATE_PATHS.pem,
    link: 'Download the certificate',
    steps: [
      'Debian, Ubuntu: copy it to /usr/local/share/ca-certificates/weir-ca.crt and run update-ca-certificates as root.',
      'Fedora: copy it to /etc/pki/ca-trust/source/anchors/ and run update-ca-trust as root.',
    ],
  },
  {
    title: 'Firefox',
    path: CERTIFICATE_PATHS.pem,
    link: 'Download the certificate',
    steps: ['Settings › Privacy & Security › Certificates › View Certificates › Authorities › Import, for websites.'],
  },
];

/**
 * The page of the magic host: how a device comes to trust this Weir. One file without scripts or other resources.
 */
export function renderSetupPage(authority: CertificateAuthorityInfo): string {
  const guides = GUIDES.map(
    ({ title, path, link, steps }) => `
      <section>
        <h2>${escapeHtml(title)}</h2>
        <p><a class="button" href="${path}">${escapeHtml(link)}</a></p>
        <ol>${steps.map((step) => `<li>${escapeHtml(step)}</li>`).join('')}</ol>
      </section>`,
  ).join('');
  return renderPage(
    'Set up this device for Weir',
    `<p>This device reaches Weir. To let it look into HTTPS, trust the certificate of this Weir, and of no other: it was made on
the machine that runs Weir, and its key never leaves it. Take it out again when you are done.</p>
<dl>
<dt>Certificate</dt><dd>${escapeHtml(authority.subject)}</dd>
<dt>Valid until</dt><dd>${escapeHtml(authority.notAfter)}</dd>
<dt>SHA-256 fingerprint</dt><dd><code>${escapeHtml(authority.fingerprint)}</code></dd>
</dl>
<p class="formats">All formats:
<a href="${CERTIFICATE_PATHS.pem}">PEM</a>
<a href="${CERTIFICATE_PATHS.der}">DER</a>
<a href="${CERTIFICATE_PATHS.p12}">P12</a></p>
<div class="guides">${guides}
</div>`,
  );
}
