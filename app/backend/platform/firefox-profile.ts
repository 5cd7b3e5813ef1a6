import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFirefoxTrust } from './firefox-trust.ts';

/** What one fresh Firefox is told. */
export interface FirefoxProfile {
  /** Its folder, which is there and empty. */
  readonly folder: string;
  /** Where the proxy listens; IPv6 without brackets. */
  readonly proxy: { readonly host: string; readonly port: number };
  /** The certificate of our authority, PEM. */
  readonly authority: string;
}

type Preferences = Readonly<Record<string, string | number | boolean>>;

/** No address at all: what would be asked there fails at once and in silence. */
const NOWHERE = 'data:,';

/**
 * What Firefox asks for and shows on its own account. None of it belongs between the user's own exchanges, and none of it
 * would say something of the pages that are looked at.
 */
export const QUIET_FIREFOX: Preferences = {
  // First-run pages, offers and questions.
  'browser.aboutwelcome.enabled': false,
  'browser.preonboarding.enabled': false,
  'termsofuse.bypassNotification': true,
  'startup.homepage_welcome_url': '',
  'startup.homepage_welcome_url.additional': '',
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'browser.startup.firstrunSkipsHomepage': true,
  'browser.startup.upgradeDialog.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.sessionstore.resume_from_crash': false,
  'browser.tabs.warnOnClose': false,
  'browser.warnOnQuit': false,
  'browser.newtabpage.enabled': false,
  'browser.newtab.preload': false,
  'browser.newtabpage.activity-stream.feeds.topsites': false,
  'browser.newtabpage.activity-stream.feeds.system.topstories': false,
  'browser.newtabpage.activity-stream.showSponsored': false,
  'browser.newtabpage.activity-stream.showSponsoredTopSites': false,
  'browser.newtabpage.activity-stream.unifiedAds.endpoint': '',
  'browser.newtabpage.activity-stream.unifiedAds.tiles.enabled': false,
  'browser.newtabpage.activity-stream.unifiedAds.spocs.enabled': false,
  'browser.topsites.contile.enabled': false,
  'browser.bookmarks.restore_default_bookmarks': false,
  // Telemetry, studies and reports.
  'datareporting.policy.dataSubmissionEnabled': false,
  'datareporting.policy.dataSubmissionPolicyBypassNotification': true,
  'datareporting.policy.firstRunURL': '',
  'datareporting.healthreport.uploadEnabled': false,
  'datareporting.usage.uploadEnabled': false,
  'toolkit.telemetry.enabled': false,
  'toolkit.telemetry.unified': false,
  'toolkit.telemetry.server': NOWHERE,
  'toolkit.telemetry.archive.enabled': false,
  'toolkit.telemetry.newProfilePing.enabled': false,
  'toolkit.telemetry.firstShutdownPing.enabled': false,
  'toolkit.telemetry.shutdownPingSender.enabled': false,
  'toolkit.telemetry.updatePing.enabled': false,
  'toolkit.coverage.opt-out': true,
  'toolkit.coverage.endpoint.base': '',
  'app.normandy.enabled': false,
  'app.normandy.api_url': '',
  'app.shield.optoutstudies.enabled': false,
  'nimbus.rollouts.enabled': false,
  'browser.discovery.enabled': false,
  'browser.tabs.crashReporting.sendReport': false,
  'dom.private-attribution.submission.enabled': false,
  // Updates of Firefox, its parts and its lists.
  'app.update.enabled': false,
  'app.update.auto': false,
  'app.update.background.enabled': false,
  'app.update.checkInstallTime': false,
  'extensions.update.enabled': false,
  'extensions.update.autoUpdateDefault': false,
  'extensions.systemAddon.update.enabled': false,
  'extensions.systemAddon.update.url': '',
  'extensions.getAddons.cache.enabled': false,
  'extensions.getAddons.showPane': false,
  'extensions.blocklist.enabled': false,
  'media.gmp-manager.updateEnabled': false,
  'media.gmp-manager.url': 'data:text/plain,',
  'media.gmp-gmpopenh264.enabled': false,
  'media.gmp-widevinecdm.enabled': false,
  'browser.search.update': false,
  'browser.region.update.enabled': false,
  'browser.region.network.url': '',
  'browser.ml.enable': false,
  // Lists of settings of Mozilla, which Firefox lets nobody redirect without the variable below.
  'services.settings.server': `${NOWHERE}#`,
  'services.settings.loglevel': 'off',
  'dom.push.connection.enabled': false,
  'dom.push.serverURL': '',
  'identity.fxaccounts.enabled': false,
  'extensions.webservice.discoverURL': '',
  'extensions.pocket.enabled': false,
  'signon.firefoxRelay.feature': 'disabled',
  // Is there a network, is there a portal, where are we.
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'captivedetect.canonicalURL': '',
  'geo.provider.network.url': '',
  // Pages are not asked about elsewhere.
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.safebrowsing.blockedURIs.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.safebrowsing.provider.google4.updateURL': '',
  'browser.safebrowsing.provider.google5.updateURL': '',
  'browser.safebrowsing.provider.mozilla.updateURL': '',
  'browser.safebrowsing.provider.google4.gethashURL': '',
  'browser.safebrowsing.provider.mozilla.gethashURL': '',
  'browser.search.suggest.enabled': false,
  'browser.urlbar.suggest.searches': false,
  'browser.urlbar.quicksuggest.enabled': false,
  'security.OCSP.enabled': 0,
  'security.remote_settings.crlite_filters.enabled': false,
  'security.remote_settings.intermediates.enabled': false,
  // Nothing is fetched that nobody asked for.
  'browser.urlbar.speculativeConnect.enabled': false,
  'browser.places.speculativeConnect.enabled': false,
  'network.dns.disablePrefetch': true,
  'network.http.speculative-parallel-limit': 0,
  'network.predictor.enabled': false,
  'network.prefetch-next': false,
};

/** Environment variable that lets `services.settings.server` be another one in release versions. */
export const FIREFOX_ENVIRONMENT = { MOZ_REMOTE_SETTINGS_DEVTOOLS: '1' } as const;

/** Fills the folder of a fresh profile: it goes through our proxy and trusts our authority, for itself alone. */
export async function writeFirefoxProfile({ folder, proxy, authority }: FirefoxProfile): Promise<void> {
  const preferences: Preferences = { ...QUIET_FIREFOX, ...proxyPreferences(proxy) };
  await writeFile(join(folder, 'user.js'), preferencesText(preferences), { mode: 0o600 });
  await writeFirefoxTrust(join(folder, 'cert9.db'), authority);
}

/** The contents of a profile's `user.js`. */
export function preferencesText(preferences: Preferences): string {
  return Object.entries(preferences)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('');
}

/** Everything through our proxy, loopback too, and nothing past it. */
export function proxyPreferences({ host, port }: FirefoxProfile['proxy']): Preferences {
  return {
    'network.proxy.type': 1,
    'network.proxy.http': host,
    'network.proxy.http_port': port,
    'network.proxy.ssl': host,
    'network.proxy.ssl_port': port,
    'network.proxy.no_proxies_on': '',
    // Firefox sends loopback past its proxy otherwise.
    'network.proxy.allow_hijacking_localhost': true,
    // What the proxy does not answer is not asked for past it.
    'network.proxy.failover_direct': false,
    // The proxy resolves names; HTTP/3 would go past it.
    'network.trr.mode': 5,
    'network.http.http3.enable': false,
  };
}

/**
 * Arguments of Firefox for a profile of its own, whatever else of it is running.
 *
 * @param folder of the profile
 * @param url first page; null for an empty one
 * @param own the user's arguments
 */
export function firefoxArguments(
  folder: string,
  url: string | null,
  own: readonly string[],
  platform: string,
): string[] {
  return [
    '--no-remote',
    '--new-instance',
    ...['--profile', folder],
    // On Windows a launcher would end at once otherwise; it takes the browser with it when it is ended.
    ...(platform === 'win32' ? ['--wait-for-browser'] : []),
    // Chromium knows kinds of it.
    ...own.map((argument) => (argument.startsWith('--headless') ? '--headless' : argument)),
    url ?? 'about:blank',
  ];
}
