/** Words of importing files. */
export const IMPORT_TEXT = {
  reading: (name: string): string => `Importing ${name}`,
  imported: (count: string): string => `${count} exchanges so far`,
  of: (read: string, whole: string): string => `${read} of ${whole}`,
  cancel: 'Cancel',
  drop: 'Drop a HAR file, a .weir file or flows of mitmproxy to import them',
  reportTitle: (name: string): string => `Imported ${name}`,
  failedTitle: (name: string): string => `${name} could not be read whole`,
  summary: (imported: string, skipped: string): string => `${imported} imported, ${skipped} left out.`,
  entry: (entry: number): string => `Entry ${String(entry)}`,
  more: (count: string): string => `${count} more were left out.`,
  close: 'Close',
} as const;
