/**
 * Hands bytes to the browser as a file to save.
 * @param parts the bytes, or their parts in order
 */
export function downloadBytes(parts: Uint8Array | readonly Uint8Array[], fileName: string, mediaType: string): void {
  const list = parts instanceof Uint8Array ? [parts] : parts;
  const blob = new Blob(
    list.map((part) => new Uint8Array(part)),
    { type: mediaType },
  );
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The download has begun by then; the bytes need not stay.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
