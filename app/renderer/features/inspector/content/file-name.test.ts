import { expect, test } from 'vitest';
import { fileNameFor } from './file-name.ts';

test('the last segment of the path names the file, the type its ending', () => {
  expect(fileNameFor('/assets/app.8f2c1d.css?x=1', 'text/css')).toBe('app.8f2c1d.css');
  expect(fileNameFor('/v2/cart/items', 'application/json')).toBe('items.json');
  expect(fileNameFor('/', 'text/html')).toBe('body.html');
});

test('a captured path cannot leave its folder, hide the file or turn its name around', () => {
  expect(fileNameFor('/a/..%2f..%2fetc%2fpasswd', null)).toBe('_.._etc_passwd.bin');
  expect(fileNameFor('/.bashrc', 'text/plain')).toBe('bashrc.txt');
  expect(fileNameFor('/photo%E2%80%AEgnp.exe', 'image/png')).toBe('photo___gnp.exe.png');
  expect(fileNameFor('/..', null)).toBe('body.bin');
});
