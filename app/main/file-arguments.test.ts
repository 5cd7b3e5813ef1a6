import { expect, test } from 'vitest';
import { filesOfArguments } from './file-arguments.ts';

test('files of our kinds are found among options and other words', () => {
  const argv = ['/opt/Weir/weir-desktop', '--data=/x/a.har', '--no-sandbox', '/home/me/one.har', '/home/me/notes.txt'];
  expect(filesOfArguments(argv, '/home/me')).toEqual(['/home/me/one.har']);
});

test('relative names begin where the app was started, and case does not count', () => {
  expect(filesOfArguments(['weir', 'two.WEIR', 'sub/three.Har'], '/home/me')).toEqual([
    '/home/me/two.WEIR',
    '/home/me/sub/three.Har',
  ]);
});

test('file URLs, as Linux desktops write them, are paths', () => {
  expect(filesOfArguments(['weir', 'file:///home/me/with%20space.har'], '/')).toEqual(['/home/me/with space.har']);
});

test('URLs of other machines and of other schemes name no file here', () => {
  const argv = ['weir', 'file://elsewhere.test/x.har', 'file:%2f%2e.har', 'https://example.org/x.har'];
  expect(filesOfArguments(argv, '/')).toEqual([]);
});

test("the program's own name is no file", () => {
  expect(filesOfArguments(['/opt/odd.har'], '/')).toEqual([]);
});
