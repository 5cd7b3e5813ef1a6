/**
 * Whether TLS to a host is relayed without interception.
 *
 * @param patterns `example.com`, `*.example.com` (every name below it), each also with `:port`; addresses without brackets
 * @param names lower-case names that the host goes by: of the ClientHello, of the CONNECT
 */
export function passesThrough(patterns: readonly string[], names: readonly string[], port: number): boolean {
  return patterns.some((pattern) => {
    const [host, wantedPort] = splitPort(pattern.toLowerCase());
    if (wantedPort !== null && wantedPort !== port) return false;
    return names.some((name) => (host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host));
  });
}

function splitPort(pattern: string): [host: string, port: number | null] {
  const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(pattern);
  if (bracketed !== null)
    return [bracketed[1] ?? '', bracketed[2] === undefined ? null : Number.parseInt(bracketed[2], 10)];
  const plain = /^([^:]+):(\d+)$/.exec(pattern);
  return plain === null ? [pattern, null] : [plain[1] ?? '', Number.parseInt(plain[2] ?? '', 10)];
}
