import { expect, test } from 'vitest';
import { multipartParts } from './multipart.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function contents(text: string, contentType: string | null): string[] {
  const body = bytes(text);
  return (multipartParts(body, contentType) ?? []).map(({ from, end }) =>
    new TextDecoder().decode(body.slice(from, end)),
  );
}

const FORM =
  '--B\r\nContent-Disposition: form-data; name="caption"\r\n\r\nAt the\r\nweir\r\n' +
  '--B\r\nContent-Disposition: form-data; name="f"; filename="a \\"b\\".png"\r\nContent-Type: Image/PNG; q=1\r\n\r\n12345\r\n--B--\r\n';

test.each(['multipart/form-data; boundary=B', 'multipart/form-data; boundary="B"', null])(
  'fields and files are found with their names, types and exact content (%s)',
  (contentType) => {
    const parts = multipartParts(bytes(FORM), contentType);
    expect(parts).toMatchObject([
      { name: 'caption', fileName: null, type: null, cut: false },
      { name: 'f', fileName: 'a "b".png', type: 'image/png', contentType: 'Image/PNG; q=1' },
    ]);
    expect(contents(FORM, contentType)).toEqual(['At the\r\nweir', '12345']);
  },
);

test('a part that is not read to its end reaches up to the end of the body', () => {
  const read = bytes('--B\r\nContent-Disposition: form-data; name="a"; filename="x"\r\n\r\nhal');
  expect(multipartParts(read, 'x; boundary=B', 1_000)?.[0]).toMatchObject({ cut: true, end: 1_000 });
  expect(multipartParts(read, 'x; boundary=B')?.[0]).toMatchObject({ cut: true, end: read.length });
});

test('a boundary in the middle of a line is content, and so is one within another part’s boundary', () => {
  const inner = '--C\r\nContent-Type: text/plain\r\n\r\none --B two\r\n--C--';
  const nested = `--B\r\nContent-Type: multipart/mixed; boundary=C\r\n\r\n${inner}\r\n--B--`;
  expect(contents(nested, 'multipart/mixed; boundary=B')).toEqual([inner]);
  expect(contents(inner, 'multipart/mixed; boundary=C')).toEqual(['one --B two']);
});

test('parts without a head, with bare line feeds, and with names in UTF-8 are taken', () => {
  expect(contents('--B\n\nplain\n--B--', 'multipart/mixed; boundary=B')).toEqual(['plain']);
  const named = `--B\r\nContent-Disposition: form-data; name="d"; filename="x"; filename*=UTF-8''na%C3%AFve.txt\r\n\r\n\r\n--B--`;
  expect(multipartParts(bytes(named), 'x; boundary=B')?.[0]).toMatchObject({ fileName: 'naïve.txt' });
  expect(contents(named, 'x; boundary=B')).toEqual(['']);
});

test('a body without any boundary is none', () => {
  expect(multipartParts(bytes('no parts'), null)).toBeNull();
  expect(multipartParts(bytes('no parts'), 'multipart/mixed; boundary=B')).toEqual([]);
});
