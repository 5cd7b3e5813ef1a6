/** One way to let a kind of program trust the authority, and back. */
export interface TrustGuide {
  readonly title: string;
  readonly steps: readonly string[];
  /** A line or a few to copy; `CA` stands for the certificate's file. */
  readonly lines: readonly string[];
  readonly undo: string;
}

/** What Weir cannot do by itself, told step by step. @param file of the certificate @param proxy `host:port` */
export function trustGuides(file: string, proxy: string): readonly TrustGuide[] {
  return [
    {
      title: 'Java',
      steps: [
        'A program that you start: give it the options below, or start it by “weir run”, which sets them.',
        'Every program of one Java: import into its cacerts, once for each installation.',
      ],
      lines: [`keytool -importcert -noprompt -cacerts -storepass changeit -alias weir-ca -file "${file}"`],
      undo: 'keytool -delete -cacerts -storepass changeit -alias weir-ca',
    },
    {
      title: 'Node.js',
      steps: [
        'Node carries a list of its own. NODE_EXTRA_CA_CERTS adds to it; from 22.15 on --use-system-ca takes the machine’s store.',
        'fetch obeys the proxy variables from 24 on, with NODE_USE_ENV_PROXY=1. “weir run” sets all of it.',
      ],
      lines: [`export NODE_EXTRA_CA_CERTS="${file}" NODE_USE_ENV_PROXY=1 HTTPS_PROXY=http://${proxy}`],
      undo: 'unset NODE_EXTRA_CA_CERTS NODE_USE_ENV_PROXY HTTPS_PROXY',
    },
    {
      title: 'Python',
      steps: [
        'requests and httpx carry a list of their own (certifi); ssl and urllib take the machine’s.',
        'Both obey variables that name a file with the system’s roots and ours. “weir run” makes that file and sets them.',
      ],
      lines: ['weir run -- python3 program.py'],
      undo: 'Nothing is left when the program has ended.',
    },
    {
      title: 'Android 14 and newer',
      steps: [
        'Open the page of the QR code on the device and download the certificate.',
        'Settings › Security & privacy › More security & privacy › Encryption & credentials › Install a certificate › CA certificate.',
        'Chrome accepts it. Other apps do so only when their network security configuration lists “user” certificates; the system’s own list is part of a sealed module and changes only on rooted devices or emulators.',
      ],
      lines: [],
      undo: 'Settings › Security & privacy › More › Encryption & credentials › User credentials: remove “Weir CA”.',
    },
    {
      title: 'Android 7 to 13',
      steps: [
        'Open the page of the QR code on the device and download the certificate.',
        'Settings › Security › Encryption & credentials › Install a certificate › CA certificate (7 to 10: Install from storage).',
        'Browsers accept it; apps built for Android 7 and newer only when they list “user” certificates.',
      ],
      lines: [],
      undo: 'Settings › Security › Encryption & credentials › User credentials: remove “Weir CA”.',
    },
    {
      title: 'iPhone and iPad',
      steps: [
        'Open the page of the QR code in Safari and allow the profile to be downloaded.',
        'Settings › General › VPN & Device Management: install “Weir CA”.',
        'Settings › General › About › Certificate Trust Settings: switch it on.',
      ],
      lines: [],
      undo: 'Settings › General › VPN & Device Management: remove the profile. The trust goes with it.',
    },
    {
      title: 'Docker images',
      steps: [
        'Debian-based images take the certificate while they are built; others have the same two steps by other names.',
      ],
      lines: ['COPY weir-ca.pem /usr/local/share/ca-certificates/weir-ca.crt', 'RUN update-ca-certificates'],
      undo: 'Build the image without these lines.',
    },
    {
      title: 'Firefox on macOS and Windows',
      steps: [
        'Firefox takes over what you added to the store of the system. If it does not, look at about:config for security.enterprise_roots.enabled.',
      ],
      lines: [],
      undo: 'Take it out of the store of the system.',
    },
  ];
}
