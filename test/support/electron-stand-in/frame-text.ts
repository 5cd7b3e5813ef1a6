/** What crosses into a page goes as text; bytes are marked. The page's half is in `page-bridge.ts`. */
export function toText(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (member instanceof Uint8Array) return { $bytes: Buffer.from(member).toString('base64') };
    // A Buffer has become plain JSON before it is seen here.
    if (isJsonBuffer(member)) return { $bytes: Buffer.from(member.data).toString('base64') };
    return member;
  });
}

export function fromText(text: string): unknown {
  return JSON.parse(text, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && '$bytes' in member
      ? new Uint8Array(Buffer.from(String(member.$bytes), 'base64'))
      : member,
  );
}

function isJsonBuffer(value: unknown): value is { data: number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value;
}
