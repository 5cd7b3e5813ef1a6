/** One part of a form. Texts are bytes in latin1. */
export interface FormPart {
  readonly name: string;
  readonly value: string;
  readonly fileName: string | null;
  readonly type: string | null;
}

/** A body of `multipart/form-data` (RFC 7578), with a boundary that stands in no part. */
export function multipartBody(parts: readonly FormPart[]): { readonly body: Uint8Array; readonly contentType: string } {
  let boundary = '------------------------weir';
  for (let number = 0; parts.some(({ value }) => value.includes(boundary)); number += 1) {
    boundary = `------------------------weir${String(number)}`;
  }
  const written = parts.map(({ name, value, fileName, type }) => {
    const file = fileName === null ? '' : `; filename="${quoted(fileName)}"`;
    const typed = type === null ? '' : `\r\nContent-Type: ${type}`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}${typed}\r\n\r\n${value}\r\n`;
  });
  const text = `${written.join('')}--${boundary}--\r\n`;
  return {
    body: Uint8Array.from(text, (character) => character.charCodeAt(0)),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
