import { freePort, startChild, waitForPort } from '../child.ts';
import type { Peer } from './peer.ts';
import { which } from './which.ts';

/** mitmproxy's `mitmdump` as an explicit proxy that intercepts TLS and writes nothing. */
export const mitmproxyExplicit: Peer = {
  name: 'mitmproxy',
  missing: () => (which('mitmdump') === null ? 'mitmdump is not installed' : null),
  start: async (setting) => {
    const port = await freePort();
    const options = ['-q', '--listen-host', '127.0.0.1', '--listen-port', String(port), '--ssl-insecure'];
    const folder = ['--set', `confdir=${setting.folder}`];
    const child = startChild(which('mitmdump') ?? 'mitmdump', [...options, ...folder], setting.cores);
    await waitForPort(port, 40_000);
    return { child, port };
  },
};
