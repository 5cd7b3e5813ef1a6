import type { Environment } from './browser.ts';

/** What one fresh browser is told. */
export interface BrowserLaunch {
  /** Folder of its private profile. */
  readonly profile: string;
  /** Where the proxy listens. */
  readonly proxy: { readonly host: string; readonly port: number };
  /** SHA-256 of our authority's public key, base64. */
  readonly authorityKeyHash: string;
  /** First page; null for an empty one. */
  readonly url: string | null;
  /** Chromium refuses to run as root inside its sandbox. */
  readonly asRoot: boolean;
  readonly environment: Environment;
}

/** What a browser says on its own account; none of it belongs into the user's list. */
const QUIET = [
  '--no-first-run',
  '--no-default-browser-check',
  '--no-service-autorun',
  '--no-pings',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--metrics-recording-only',
  '--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,NetworkTimeServiceQuerying,MediaRouter,OptimizationHints,OptimizationGuideModelDownloading,Translate',
  // Components are still updated on demand; an address without a network stops that.
  '--component-updater=url-source=data:,',
  // The browser asks by itself who is signed in at Google; pages of Google are not touched by this.
  '--gaia-config-contents={"urls":{"list_accounts_url":{"url":"data:,"}}}',
  // Neither asks for the user's key ring.
  '--password-store=basic',
  '--use-mock-keychain',
];

/**
 * Contents of the fresh profile's `Default/Preferences`: nothing that is typed or visited is looked up elsewhere, since
 * that would show up between the user's own exchanges.
 */
export const QUIET_PREFERENCES = {
  alternate_error_pages: { enabled: false },
  browser: { has_seen_welcome_page: true },
  credentials_enable_service: false,
  net: { network_prediction_options: 2 },
  safebrowsing: { enabled: false, enhanced: false },
  search: { suggest_enabled: false },
  signin: { allowed: false, allowed_on_next_startup: false },
  translate: { enabled: false },
} as const;

/**
 * Arguments that start Chromium through our proxy. It trusts our authority by its key for this profile alone: nothing is
 * installed anywhere. That option works only together with a profile folder of one's own.
 */
export function browserArguments(launch: BrowserLaunch): string[] {
  const host = launch.proxy.host.includes(':') ? `[${launch.proxy.host}]` : launch.proxy.host;
  const own = extraArguments(launch.environment);
  return [
    `--user-data-dir=${launch.profile}`,
    `--proxy-server=http://${host}:${launch.proxy.port}`,
    // Chromium sends loopback past its proxy otherwise.
    '--proxy-bypass-list=<-loopback>',
    `--ignore-certificate-errors-spki-list=${launch.authorityKeyHash}`,
    // HTTP/3 does not go through an HTTP proxy, and would go past it.
    '--disable-quic',
    ...QUIET,
    // Hides the bar that warns of options such as the key list; what this window is for is plain to who opened it.
    '--test-type',
    ...(launch.asRoot ? ['--no-sandbox'] : []),
    ...own,
    launch.url ?? 'about:blank',
  ];
}

/** True when the browser was told to show no window. */
export function isHeadless(environment: Environment): boolean {
  return extraArguments(environment).some((argument) => /^--headless(?:=|$)/.test(argument));
}

/** `WEIR_BROWSER_ARGS`, split at white space; quotes keep a part together. */
export function extraArguments(environment: Environment): string[] {
  const parts = (environment['WEIR_BROWSER_ARGS'] ?? '').match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return parts.map((part) => part.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
