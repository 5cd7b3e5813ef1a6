/** Numbers of one host, as the contract gives them. */
export interface HostCount {
  readonly host: string;
  readonly port: number;
  readonly exchanges: number;
  readonly errors: number;
}

/** A line of the sidebar: a domain with the hosts below it, or a host alone. */
export interface HostNode {
  /** What the line says: the whole domain, or the part of a host before its domain. */
  readonly label: string;
  /** Text of the filter that shows it. */
  readonly filter: string;
  readonly exchanges: number;
  readonly errors: number;
  readonly children: readonly HostNode[];
}

/** Second-level labels under which names are registered (`shop.co.uk`), where no full list is worth its size. */
const SHARED_SECOND_LEVELS = new Set(['co', 'com', 'net', 'org', 'gov', 'edu', 'ac', 'or', 'ne', 'go']);

/** Groups hosts by the domain that they were registered under, by name: lines stay where they are while counts grow. */
export function hostTree(hosts: readonly HostCount[]): HostNode[] {
  const groups = new Map<string, HostCount[]>();
  for (const host of mergeUsualPorts(hosts)) {
    const domain = registeredDomain(host.host);
    const group = groups.get(domain);
    if (group === undefined) groups.set(domain, [host]);
    else group.push(host);
  }
  return [...groups].map(([domain, group]) => groupNode(domain, group)).sort(byName);
}

/** Ports 80 and 443 of a host are one line; others stand with their number. */
function mergeUsualPorts(hosts: readonly HostCount[]): HostCount[] {
  const merged = new Map<string, HostCount>();
  for (const host of hosts) {
    const name = withPort(host);
    const { exchanges = 0, errors = 0 } = merged.get(name) ?? {};
    merged.set(name, { ...host, exchanges: exchanges + host.exchanges, errors: errors + host.errors });
  }
  return [...merged.values()];
}

function groupNode(domain: string, group: readonly HostCount[]): HostNode {
  const [only] = group;
  if (group.length === 1 && only !== undefined) return leaf(only, withPort(only));
  return {
    label: domain,
    filter: hostTerm(domain, 0),
    exchanges: sum(group, (host) => host.exchanges),
    errors: sum(group, (host) => host.errors),
    children: group.map((host) => leaf(host, childLabel(host, domain))).sort(byName),
  };
}

function leaf(host: HostCount, label: string): HostNode {
  const { exchanges, errors } = host;
  return { label, filter: hostTerm(host.host, host.port), exchanges, errors, children: [] };
}

function childLabel(host: HostCount, domain: string): string {
  const whole = withPort(host);
  if (!host.host.endsWith(`.${domain}`)) return whole;
  const below = host.host.slice(0, -(domain.length + 1));
  return below + whole.slice(host.host.length);
}

/** Terms of the query language for a host; its port too unless it is a usual one (0: any). */
export function hostTerm(host: string, port: number): string {
  const name = /^[a-z0-9.-]+$/.test(host) ? `host:${host}` : `host:"${host}"`;
  return isUsualPort(port) ? name : `${name} port:${String(port)}`;
}

function withPort({ host, port }: HostCount): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return isUsualPort(port) ? name : `${name}:${String(port)}`;
}

function isUsualPort(port: number): boolean {
  return port === 443 || port === 80 || port === 0;
}

/** `api.shop.co.uk` → `shop.co.uk`; addresses and single labels stay whole. */
export function registeredDomain(host: string): string {
  if (host.includes(':') || /^[\d.]+$/.test(host)) return host;
  const labels = host.split('.');
  if (labels.length <= 2) return host;
  const shared = SHARED_SECOND_LEVELS.has(labels.at(-2) ?? '') && (labels.at(-1) ?? '').length === 2;
  return labels.slice(shared ? -3 : -2).join('.');
}

function byName(one: HostNode, other: HostNode): number {
  return one.label.localeCompare(other.label);
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
