/** Words of the settings about proxies, devices and certificates. */
export const PROXY_SETTINGS_TEXT = {
  upstream: {
    title: 'Upstream proxy',
    proxy: 'Proxy for all hosts',
    proxyHint:
      'Origins are reached through it. http://, https:// (TLS to the proxy) or socks5://, with user:password@ where it wants them; empty for none.',
    proxyProblem: 'Write it like http://user:password@proxy.example:3128, https://… or socks5://…',
    rules: 'Hosts with a proxy of their own',
    rulesHint: 'One a line: a pattern, a space, and the URL of a proxy or the word direct. The first that fits counts.',
    rulesProblem: (line: string): string => `“${line}” is not a pattern, a space, and the URL of a proxy or “direct”.`,
    direct: 'Hosts without a proxy',
    directHint:
      'As in NO_PROXY, one a line: a name stands for all below it, 10.0.0.0/8 for a range, * for every host. UDP always goes directly.',
  },
  clients: {
    title: 'Proxy clients',
    user: 'User',
    userHint:
      'Programs must show it to use the proxy (Basic for HTTP, RFC 1929 for SOCKS5). Empty lets them in without.',
    password: 'Password',
    passwordHint: 'Kept in the settings file, which only you can read.',
    approved: 'Devices that may use Weir',
    approvedHint:
      'Other machines are refused until their address stands here; ranges like 192.168.0.0/16 work too. They never reach loopback, link-local and metadata addresses.',
  },
  tls: {
    title: 'TLS with origins',
    legacy: 'Old hosts',
    legacyHint: 'TLS 1.0 and small keys are taken from these hosts alone, as far as the library still can. One a line.',
  },
  certificates: {
    title: 'Client certificates',
    hint: 'Shown to origins that ask for one. The key stays in a file that only you can read.',
    none: 'There is none yet.',
    host: 'Host',
    hostHint: 'The host that it is for: bank.example or *.bank.example',
    file: 'Certificate',
    fileHint: 'PEM, or PKCS #12 (.p12, .pfx) with its key',
    key: 'Key',
    keyHint: 'PEM, where it is a file of its own',
    password: 'Password',
    passwordHint: 'of the key or the PKCS #12 file, where it has one',
    add: 'Add certificate',
    added: (host: string): string => `Certificate for ${host} added`,
    remove: 'Remove',
    removeName: (host: string): string => `Remove the certificate for ${host}`,
    removed: (host: string): string => `Certificate for ${host} removed`,
    until: (day: string): string => `until ${day}`,
    unnamed: 'certificate',
  },
} as const;
