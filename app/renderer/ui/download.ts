/** Takes bytes out of the page's own memory: the browser keeps blobs, on the disk when they are many. */
export function asBlob(bytes: Uint8Array): Blob {
  return new Blob([new Uint8Array(bytes)]);
}

/**
 * Hands bytes to the browser as a file to save.
 * @param parts the bytes, or the parts of a file of any length in order
 */
export function downloadBytes(parts: Uint8Array | readonly Blob[], fileName: string, mediaType: string): void {
  const blob = new Blob(parts instanceof Uint8Array ? [asBlob(parts)] : [...parts], { type: mediaType });
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
