/** Node's processes and threads are started from real files: those stand beside the archive that Electron loads. */
export function outsideArchive(folder: string): string {
  return folder.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked');
}
