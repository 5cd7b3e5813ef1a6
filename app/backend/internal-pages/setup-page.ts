import type { CertificateAuthorityInfo } from '#contract';

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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Set up this device for Weir</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Set up this device for Weir</h1>
<p>This device reaches Weir. To let it look into HTTPS, trust the certificate of this Weir, and of no other: it was made on
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
</div>
</main>
</body>
</html>
`;
}

/** Escapes text for an element or a quoted attribute of HTML or XML. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const STYLE = `
:root { color-scheme: light dark; --window: #f1f4f5; --pane: #fff; --border: #dbe1e4; --text: #182024; --text-2: #47555d;
  --accent: #0a6475; --on-accent: #fff; }
@media (prefers-color-scheme: dark) { :root { --window: #0e1214; --pane: #13181b; --border: #2a3339; --text: #e4eaed;
  --text-2: #a9b5bc; --accent: #4cc4d9; --on-accent: #061a1f; } }
body { margin: 0; background: var(--window); color: var(--text); font: 15px/24px Inter, system-ui, sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 32px 16px; }
h1 { font-size: 20px; line-height: 28px; margin: 0 0 16px; }
h2 { font-size: 15px; line-height: 24px; margin: 0; }
p, dl { margin: 0 0 16px; }
dt { color: var(--text-2); font-size: 13px; }
dd { margin: 0 0 8px; overflow-wrap: anywhere; }
code { font: 12px/18px 'JetBrains Mono', ui-monospace, monospace; }
a { color: var(--accent); }
.formats a { margin-left: 8px; }
.guides { display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 16px; }
section { background: var(--pane); border: 1px solid var(--border); border-radius: 8px; padding: 16px; }
section p { margin: 12px 0; }
.button { display: inline-block; background: var(--accent); color: var(--on-accent); border-radius: 4px; padding: 4px 12px;
  text-decoration: none; font-size: 13px; }
ol { margin: 0; padding-left: 20px; font-size: 13px; line-height: 20px; }
`;
