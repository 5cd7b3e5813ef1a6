/** Words of the export dialog. */
export const EXPORT_TEXT = {
  title: (count: number, formatted: string): string =>
    count === 1 ? 'Export 1 exchange' : `Export ${formatted} exchanges`,
  scope: 'What to export',
  scopes: {
    chosen: (count: string): string => `Chosen (${count})`,
    list: (count: string): string => `All in the list (${count})`,
  },
  /** What keeps others out of the list. */
  scopeHint: (filter: string): string => `that pass ${filter}`,
  format: 'Format',
  formats: { har: 'HAR', weir: '.weir' },
  formatHints: {
    har: 'HAR 1.2, which browsers and most tools read.',
    weir: 'For another Weir: exact heads and bodies, packed.',
  },
  redact: 'Blank before it leaves',
  usual: 'What usually carries credentials',
  usualHint: 'Authorization, cookies, fields like x-api-key, parameters like access_token and password.',
  parts: [
    { part: 'headers', label: 'Headers', hint: 'x-session, x-user' },
    { part: 'cookies', label: 'Cookies', hint: 'session; * for all' },
    { part: 'parameters', label: 'Parameters', hint: 'of URLs and forms: code, state' },
    { part: 'jsonPaths', label: 'JSON values', hint: '$.user.email, $..token, items[*].id' },
  ],
  leaves: 'What leaves',
  looking: (looked: string, all: string): string => `Looking at what leaves: ${looked} of ${all}`,
  summary: (exchanges: string, hosts: string, bytes: string): string =>
    `Exchanges: ${exchanges}, hosts: ${hosts}, ${bytes} of heads and bodies`,
  blanked: 'Blanked',
  counts: (headers: string, cookies: string, parameters: string, json: string): string =>
    `Header values: ${headers}, cookies: ${cookies}, parameters: ${parameters}, JSON values: ${json}`,
  nothing: 'Nothing: everything leaves as it was recorded.',
  leftOut: (count: number, formatted: string): string =>
    count === 1 ? '1 body or message is left out:' : `${formatted} bodies or messages are left out:`,
  /** What is left out, then the exchange, then why. */
  named: (what: string): string => `the ${what} of`,
  since: (reason: string): string => `, since ${reason}`,
  more: (count: string): string => `and ${count} more`,
  other: (count: number, formatted: string): string =>
    count === 1
      ? '1 body or message is no JSON and leaves as it is.'
      : `${formatted} bodies or messages are no JSON and leave as they are.`,
  sample: (place: string, name: string): string => `${place} ${name}`,
  cancel: 'Cancel',
  save: 'Save file',
  /** The preview is not whole yet. */
  saveEarly: 'Save without looking on',
  saving: 'Writing the file',
  saved: (count: number, formatted: string): string =>
    count === 1 ? '1 exchange exported' : `${formatted} exchanges exported`,
} as const;
