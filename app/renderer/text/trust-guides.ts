/** One way to let a kind of program trust the authority, and back. */
export interface TrustGuide {
  readonly title: string;
  readonly steps: readonly string[];
  /** A line or a few to copy; `CA` stands for the certificate's file. */
  readonly lines: readonly string[];
  readonly undo: string;
}

/** For `res/xml/network_security_config.xml`, which the manifest names in `android:networkSecurityConfig`. */
const ANDROID_CONFIGURATION =
  '<network-security-config><debug-overrides><trust-anchors><certificates src="user" /></trust-anchors></debug-overrides></network-security-config>';

/** What Weir cannot do by itself, told step by step. @param file of the certificate @param proxy `host:port` */
export function trustGuides(file: string, proxy: string): readonly TrustGuide[] {
  return [
    {
      title: 'Java',
      steps: [
        'One program: start it by “weir run”, which gives it options for proxy and trust.',
        'Every program of one Java, from 9 on: import into its cacerts, once for each installation and as who may write it. Java 8 wants -keystore with the path of jre/lib/security/cacerts instead of -cacerts.',
        'Java of Debian and Ubuntu takes what the machine trusts; on Windows -Djavax.net.ssl.trustStore=NONE -Djavax.net.ssl.trustStoreType=Windows-ROOT makes it do so.',
      ],
      lines: [
        'weir run -- java -jar program.jar',
        `keytool -importcert -noprompt -cacerts -storepass changeit -alias weir-ca -file "${file}"`,
      ],
      undo: 'keytool -delete -cacerts -storepass changeit -alias weir-ca',
    },
    {
      title: 'Node.js',
      steps: [
        'Node carries a list of its own. NODE_EXTRA_CA_CERTS adds to it; from 22.15 on --use-system-ca takes the machine’s store.',
        'With NODE_USE_ENV_PROXY=1 fetch obeys the proxy variables from 22.21 and 24.0 on, http and https from 22.21 and 24.5 on. “weir run” sets all of it.',
      ],
      lines: [`export NODE_EXTRA_CA_CERTS="${file}" NODE_USE_ENV_PROXY=1 HTTPS_PROXY=http://${proxy}`],
      undo: 'unset NODE_EXTRA_CA_CERTS NODE_USE_ENV_PROXY HTTPS_PROXY',
    },
    {
      title: 'Python',
      steps: [
        'requests and httpx carry a list of their own (certifi); ssl and urllib take the machine’s. Python from python.org on macOS has none until its “Install Certificates” was run.',
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
        'Chrome accepts it. Firefox does when “Use third party CA certificates” is on in its Secret settings, which appear after several taps on the logo in About Firefox. Other apps do so only when their network security configuration lists “user” certificates, as below for debug builds of your own.',
        'The system’s own list is part of a sealed module and changes only on rooted devices or emulators. Names differ a little between makers.',
      ],
      lines: [ANDROID_CONFIGURATION],
      undo: 'Settings › Security & privacy › More security & privacy › Encryption & credentials › Trusted credentials › User: open “Weir CA” and remove it.',
    },
    {
      title: 'Android 7 to 13',
      steps: [
        'Open the page of the QR code on the device and download the certificate.',
        'Settings › Security › Encryption & credentials › Install a certificate › CA certificate (7 to 10: Install from storage; 13: Security & privacy › More security settings first).',
        'Chrome accepts it, and apps that are not built for Android 7 or newer; others only when they list “user” certificates, as below for debug builds of your own. A screen lock may be asked for.',
      ],
      lines: [ANDROID_CONFIGURATION],
      undo: 'Settings › Security › Encryption & credentials › Trusted credentials › User: open “Weir CA” and remove it.',
    },
    {
      title: 'iPhone and iPad',
      steps: [
        'Open the page of the QR code in Safari and allow the profile to be downloaded.',
        'Settings › General › VPN & Device Management (before iOS 15: Profiles): install “Weir CA”.',
        'Settings › General › About › Certificate Trust Settings: switch it on. Apps that pin their certificates refuse it all the same.',
      ],
      lines: [],
      undo: 'Settings › General › VPN & Device Management: remove the profile. The trust goes with it.',
    },
    {
      title: 'Docker images',
      steps: [
        'Images with the package ca-certificates take the certificate while they are built: those of Debian, Ubuntu and Alpine by the first two lines, those of Fedora and RHEL by the other two.',
        'Node and Python’s requests in them bring a list of their own: name the file in NODE_EXTRA_CA_CERTS and REQUESTS_CA_BUNDLE.',
      ],
      lines: [
        'COPY weir-ca.pem /usr/local/share/ca-certificates/weir-ca.crt',
        'RUN update-ca-certificates',
        'COPY weir-ca.pem /etc/pki/ca-trust/source/anchors/weir-ca.pem',
        'RUN update-ca-trust',
      ],
      undo: 'Build the image without these lines.',
    },
    {
      title: 'Firefox on macOS and Windows',
      steps: [
        'Firefox takes over what you added to the store of the system, from 120 on by itself. If it does not: Settings › Privacy & Security › Certificates, “Allow Firefox to automatically trust third-party root certificates you install”.',
      ],
      lines: [],
      undo: 'Take it out of the store of the system.',
    },
  ];
}
