/**
 * A list of hosts as Windows writes it. It knows no ranges of addresses, only stars: a range becomes the addresses with
 * stars that it covers, as long as those are few, and is left out otherwise.
 *
 * @param bypass hosts, `*.suffixes`, addresses and IPv4 ranges
 */
export function windowsBypass(bypass: readonly string[]): string {
  const entries = bypass.flatMap((host) => {
    const range = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(host);
    if (range !== null) return starred(range[1] ?? '', Number(range[2]));
    if (host.includes('/')) return [];
    if (host.includes(':') && !host.startsWith('[')) return [`[${host}]`];
    return [host.startsWith('.') ? `*${host}` : host];
  });
  return [...new Set(entries), '<local>'].join(';');
}

const MOST_STARRED = 64;

function starred(address: string, prefix: number): string[] {
  if (prefix > 32) return [];
  const octets = address.split('.').map(Number);
  const whole = Math.ceil(prefix / 8);
  const count = 2 ** (whole * 8 - prefix);
  if (whole === 0) return ['*'];
  if (count > MOST_STARRED) return [];
  const first = (octets[whole - 1] ?? 0) & (256 - count);
  return Array.from({ length: count }, (_, step) => {
    const parts = [...octets.slice(0, whole - 1), first + step].join('.');
    return whole === 4 ? parts : `${parts}.*`;
  });
}
