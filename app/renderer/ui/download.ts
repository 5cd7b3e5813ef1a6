/** Hands bytes to the browser as a file to save. */
export function downloadBytes(bytes: Uint8Array, fileName: string, mediaType: string): void {
  const url = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: mediaType }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The download has begun by then; the bytes need not stay.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
