/** Words of the comparison of two exchanges. */
export const COMPARE_TEXT = {
  title: 'Comparison',
  close: 'Close the comparison',
  reading: 'Reading both exchanges',
  comparing: 'Comparing the bodies',
  facts: 'Exchange',
  request: 'Request',
  response: 'Response',
  headers: (side: string): string => `${side} headers`,
  body: (side: string): string => `${side} body`,
  messages: (side: string): string => `${side} messages`,
  equalFields: (count: number): string =>
    count === 0
      ? 'No field is the same.'
      : count === 1
        ? '1 field is the same.'
        : `${String(count)} fields are the same.`,
  sizes: (left: string, right: string): string => (left === right ? left : `${left} → ${right}`),
  sameBody: (most: string): string => `They are the same, as far as they are compared (${most}).`,
  sameValues: 'The values are the same; only their layout differs.',
  binary: (at: string): string => `The bytes differ from byte ${at} on.`,
  other: 'The texts differ in more than 2,000 lines.',
  skipped: (count: string): string => `${count} equal lines`,
  what: 'Name',
  values: 'Values',
  status: 'Status',
  method: 'Method',
  host: 'Host',
  path: 'Path',
  protocols: 'Protocols',
  connection: 'Connection',
  reused: 'reused',
  fresh: 'new',
  total: 'Duration',
} as const;
