/**
 * Decodes base64 that comes in pieces split anywhere: the body of `application/grpc-web-text`. Several encoded pieces may
 * follow each other, each with its own padding, which starts the count of four anew (PROTOCOL-WEB.md).
 */
export class Base64Pieces {
  #held = '';

  /** What the bytes so far encode and was not returned before. */
  decode(bytes: Buffer): Buffer {
    const text = this.#held + bytes.toString('latin1').replace(/[^A-Za-z0-9+/=]/g, '');
    const whole = text.length - (text.length % 4);
    this.#held = text.slice(whole);
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole;) {
      const padding = text.indexOf('=', at);
      const end = padding < 0 || padding >= whole ? whole : Math.min(whole, padding - (padding % 4) + 4);
      pieces.push(Buffer.from(text.slice(at, end), 'base64'));
      at = end;
    }
    return Buffer.concat(pieces);
  }
}
