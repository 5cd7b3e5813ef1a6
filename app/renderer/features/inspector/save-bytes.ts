/** Hands bytes to the user as a download. */
export function saveBytes(parts: readonly Uint8Array[], name: string): void {
  const url = URL.createObjectURL(
    new Blob(
      parts.map((part) => new Uint8Array(part)),
      { type: 'application/octet-stream' },
    ),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun with the click; the address is no longer needed then.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 0);
}
