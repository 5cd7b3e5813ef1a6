import type { ListenerMode } from '../model/listener-mode.ts';
import { formatAddress } from './addresses.ts';

/** A mode as the command line writes it, without its listener's address. */
export function modeText(mode: ListenerMode): string {
  switch (mode.kind) {
    case 'proxy':
      return 'proxy';
    case 'tcp':
    case 'udp':
      return `${mode.kind}:${formatAddress(mode.host, mode.port)}`;
    case 'reverse': {
      const usual = mode.scheme === 'https' ? 443 : 80;
      const host = mode.host.includes(':') ? `[${mode.host}]` : mode.host;
      return `reverse:${mode.scheme}://${host}${mode.port === usual ? '' : `:${String(mode.port)}`}${mode.basePath}`;
    }
  }
}
