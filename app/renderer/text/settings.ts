/** A number in the form; the key is the setting's own name, which error messages quote. */
export interface NumberText {
  readonly label: string;
  readonly hint: string;
}

/** Words of what the capture keeps. */
export const STORAGE_TEXT = {
  title: 'Storage',
  used: 'Space used',
  usedBy: (bytes: string, exchanges: string): string => `${bytes} for ${exchanges} exchanges`,
  rows: 'Rows and heads',
  bodies: 'Bodies',
  search: 'Search index',
  compact: 'Compact now',
  compacting: 'Compacting…',
  compactHint: (free: string, deleted: string): string =>
    deleted === '0' ? `gives back ${free}` : `gives back ${free} and ends the undo of ${deleted} deleted exchanges`,
  compacted: 'The capture is compact',
  days: 'days',
  gigabytes: 'GB',
  exchanges: 'exchanges',
  retention: {
    days: {
      label: 'Keep for',
      hint: 'Older exchanges are deleted; imported ones are as old as their import. Pinned ones stay, whatever the limit.',
    },
    bytes: {
      label: 'Keep within',
      hint: 'Rows and bodies together; the oldest exchanges go first. Under heavy traffic it may be passed by half.',
    },
    exchanges: { label: 'Keep at most', hint: 'In all sessions together; the oldest exchanges go first.' },
  },
} as const;

/** Words of the Settings page. */
export const SETTINGS_TEXT = {
  title: 'Settings',
  search: 'Search settings',
  nothing: (search: string): string => `No setting matches “${search}”.`,
  appearance: 'Appearance',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  density: 'Rows',
  densities: { compact: 'Compact, 24 px', comfortable: 'Comfortable, 28 px' },
  resetColumns: 'Reset columns and sizes',
  columnsReset: 'Columns and sizes are as delivered',
  hosts: 'Hosts',
  passthrough: 'Pass through',
  passthroughHint: 'TLS to these hosts is not opened. One a line; * stands for any part of a name: *.bank.example',
  trusted: 'Trusted although their certificate fails',
  trustedHint:
    'The origin’s certificate is not verified for these hosts. One a line, with a port if it matters: dev.local:8443',
  save: 'Save',
  saved: 'Saved',
  revert: 'Revert',
  behaviour: 'On the wire',
  switches: {
    forwardedFields: {
      label: 'Add Via and X-Forwarded fields',
      hint: 'Off, requests reach the origin as the client sent them.',
    },
    tolerateBareLineFeed: {
      label: 'Take heads with bare line feeds',
      hint: 'They are forwarded and flagged; off, they are refused.',
    },
    stripOuterSpace: {
      label: 'Mend values of HTTP/2 origins',
      hint: 'White space around them is taken away and flagged; off, the response is refused.',
    },
    clientHalfClose: {
      label: 'Let clients half-close',
      hint: 'Off, a client that closes its side cancels its exchange.',
    },
    autoPassthrough: {
      label: 'Pass hosts through after refusals',
      hint: 'When clients refuse Weir’s certificate for a host twice, its TLS is not opened for an hour; its rows say so.',
    },
    stripHttp3Offers: {
      label: 'Take offers of HTTP/3 out',
      hint: 'Alt-Svc would lead clients past Weir. Off, offers are forwarded and flagged.',
    },
    recordFrames: {
      label: 'Record frames of HTTP/2',
      hint: 'For the Frames tab: kind, stream, size and time of the newest 10,000, and what control frames say.',
    },
  },
  timeouts: 'Time limits',
  timeoutsHint: 'In seconds; 0 switches a limit off. Errors name the limit that they ran into.',
  limits: 'Size limits',
  limitsHint: 'Messages above a limit are refused, or recorded in part; errors name the limit.',
  seconds: 's',
  bytes: 'bytes',
  noLimit: 'no limit',
  about: 'About',
  version: 'Version',
  dataFolder: 'Data folder',
  platform: 'Platform',
  timeoutNames: {
    requestHead: { label: 'Request head', hint: 'from the first byte of a request to the end of its head' },
    resolve: { label: 'Name resolution', hint: 'until the resolver answers' },
    connect: { label: 'Connect', hint: 'until the origin takes the connection' },
    tls: { label: 'TLS handshake', hint: 'on either side' },
    firstByte: { label: 'First byte', hint: 'from the end of the request to the first byte of the response' },
    idle: { label: 'Idle', hint: 'without a byte in either direction' },
    total: { label: 'Total', hint: 'from the start of an exchange to its end' },
    keepAlive: { label: 'Client keep-alive', hint: 'until an idle client connection is closed' },
    udpIdle: { label: 'UDP session', hint: 'until a UDP session without datagrams ends' },
    originKeepAlive: { label: 'Origin keep-alive', hint: 'until an idle origin connection is closed' },
  } as Readonly<Record<string, NumberText>>,
  limitNames: {
    requestLineBytes: { label: 'Request line', hint: 'bytes of method, target and version' },
    headBytes: { label: 'Head', hint: 'bytes of all fields of a message' },
    fields: { label: 'Fields', hint: 'header fields of a message' },
    chunkExtensionBytes: { label: 'Chunk extensions', hint: 'bytes of the extensions of one chunk' },
    retryBodyBytes: { label: 'Held for a retry', hint: 'bytes of a request body that may be sent again' },
    idlePerOrigin: { label: 'Idle connections', hint: 'kept open to one origin' },
    recordedBodyBytes: { label: 'Recorded body', hint: 'bytes of one body that are kept; empty for all' },
    concurrentStreams: { label: 'HTTP/2 streams', hint: 'open at once on one connection' },
    streamWindowBytes: { label: 'HTTP/2 stream window', hint: 'bytes under way on one stream' },
    connectionWindowBytes: { label: 'HTTP/2 connection window', hint: 'bytes under way on one connection' },
    continuations: { label: 'HTTP/2 continuations', hint: 'CONTINUATION frames of one header block' },
    settingsFrames: { label: 'HTTP/2 SETTINGS', hint: 'frames in ten seconds' },
    pings: { label: 'HTTP/2 PING', hint: 'frames in ten seconds' },
    resets: { label: 'HTTP/2 resets', hint: 'in ten seconds, beyond the streams that were finished' },
    emptyFrames: { label: 'HTTP/2 empty DATA', hint: 'frames in ten seconds' },
    ignoredFrames: { label: 'HTTP/2 ignored frames', hint: 'PRIORITY and unknown ones in ten seconds' },
    windowUpdates: { label: 'HTTP/2 window updates', hint: 'frames in ten seconds' },
    udpSessions: { label: 'UDP sessions', hint: 'at once on one listener or association' },
    malformedStreams: { label: 'HTTP/2 malformed streams', hint: 'in ten seconds' },
  } as Readonly<Record<string, NumberText>>,
} as const;
