/** Words of the list of licences. */
export const LICENCES_TEXT = {
  open: 'Licences…',
  title: 'Licences',
  description: (count: string): string => `Weir is under the MIT licence, and is made of ${count} parts of others.`,
  loading: 'Loading…',
  none: 'The list of licences is written by the build, and this page was not built by one.',
  part: (name: string, version: string): string => `${name} ${version}`,
} as const;
