import { expect, test } from 'vitest';
import { multipartFields, queryFields, urlencodedFields } from './form-fields.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('urlencoded fields keep their order and doubles, plus is a space', () => {
  expect(urlencodedFields('a=1&b=x+y&a=%C3%A9&c')).toEqual([
    { name: 'a', value: '1' },
    { name: 'b', value: 'x y' },
    { name: 'a', value: 'é' },
    { name: 'c', value: '' },
  ]);
});

test('a malformed escape stays visible', () => {
  expect(urlencodedFields('a=%zz')).toEqual([{ name: 'a', value: '%zz' }]);
});

test('a path without a query has no fields', () => {
  expect(queryFields('/a/b')).toEqual([]);
  expect(queryFields('/a?x=1')).toEqual([{ name: 'x', value: '1' }]);
});

test('multipart parts are text or files', () => {
  const body = bytes(
    '--B\r\nContent-Disposition: form-data; name="caption"\r\n\r\nAt the\r\nweir\r\n' +
      '--B\r\nContent-Disposition: form-data; name="f"; filename="a \\"b\\".png"\r\nContent-Type: image/png\r\n\r\n12345\r\n--B--\r\n',
  );
  const expected = [
    { name: 'caption', value: 'At the\r\nweir' },
    { name: 'f', value: '', file: { name: 'a "b".png', type: 'image/png', bytes: 5 } },
  ];
  expect(multipartFields(body, 'multipart/form-data; boundary=B')).toEqual(expected);
  expect(multipartFields(body, null)).toEqual(expected);
});

test('a cut multipart body shows what arrived', () => {
  expect(
    multipartFields(bytes('--B\r\nContent-Disposition: form-data; name="a"\r\n\r\nhal'), 'x; boundary="B"'),
  ).toEqual([{ name: 'a', value: 'hal' }]);
});
