import type { ListenerConfig } from '#contract';

/** Where the proxy listens when nothing else is said. */
export const DEFAULT_LISTENER: ListenerConfig = { mode: { kind: 'proxy' }, host: '127.0.0.1', port: 8686 };

/** Where the inspector is when nothing else is said. */
export const DEFAULT_CONTROL = { host: '127.0.0.1', port: 8687 } as const;
