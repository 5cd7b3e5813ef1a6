import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FileAnswer, OfferedFile } from '../contract/desktop.ts';
import { MAX_WINDOW_BYTES } from '../contract/wire.ts';
import type { FilePort } from './opened-files.ts';
import { OpenedFiles } from './opened-files.ts';

let folder: string;
let page: Page;
const pages: Page[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-opened-'));
  page = newPage();
});

afterEach(async () => {
  for (const shown of pages.splice(0)) shown.goAway();
  await rm(folder, { recursive: true });
});

/** A page that takes what it is offered and reads only when the test says so. */
class Page {
  here = true;
  readonly offered: OfferedFile[] = [];
  readonly refused: string[] = [];
  readonly answers: FileAnswer[] = [];
  closed = 0;
  #request: (request: unknown) => void = () => undefined;
  #close: () => void = () => undefined;
  readonly files = new OpenedFiles({
    hasPage: () => this.here,
    offer: (file) => {
      this.offered.push(file);
      const port: FilePort = {
        send: (answer) => this.answers.push(answer),
        onRequest: (listener) => (this.#request = listener),
        onClose: (listener) => (this.#close = listener),
        close: () => (this.closed += 1),
      };
      return port;
    },
    refuse: (message) => this.refused.push(message),
  });

  ask(request: unknown): void {
    this.#request(request);
  }

  async read(at: number): Promise<FileAnswer> {
    const before = this.answers.length;
    this.ask({ type: 'read', at });
    return vi.waitUntil(() => this.answers[before], { interval: 1 });
  }

  goAway(): void {
    this.#close();
  }
}

function newPage(): Page {
  const shown = new Page();
  pages.push(shown);
  return shown;
}

/** Waits until something is so; looks often, since it takes less than a millisecond. */
async function until(look: () => boolean): Promise<void> {
  await vi.waitUntil(look, { interval: 1 });
}

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

test('a file is offered by its name and size, and read piece by piece', async () => {
  const content = Buffer.alloc(MAX_WINDOW_BYTES + 3, 'x');
  page.files.add([await fileOf('big.har', content)]);

  await until(() => page.offered.length === 1);
  expect(page.offered).toEqual([{ name: 'big.har', bytes: content.length }]);
  expect(page.answers).toEqual([]);

  const first = await page.read(0);
  const second = await page.read(MAX_WINDOW_BYTES);
  expect([first, second].map((answer) => (answer.type === 'piece' ? answer.bytes.length : answer))).toEqual([
    MAX_WINDOW_BYTES,
    3,
  ]);
});

test('what is opened before there is a page waits for it', async () => {
  page.here = false;
  page.files.add([await fileOf('early.weir', 'x')]);
  expect(page.offered).toEqual([]);

  page.here = true;
  page.files.pageReady();

  await until(() => page.offered.length === 1);
});

test('the next file comes when the page is done with the one before, also when it has gone instead', async () => {
  page.files.add([await fileOf('1.har', 'a'), await fileOf('2.har', 'b'), await fileOf('3.har', 'c')]);
  await until(() => page.offered.length === 1);

  page.ask({ type: 'done' });
  await until(() => page.offered.length === 2);
  page.goAway();

  await until(() => page.offered.length === 3);
  expect(page.offered.map(({ name }) => name)).toEqual(['1.har', '2.har', '3.har']);
  expect(page.closed).toBe(2);
});

test('who cancels one wants none of those that wait, and later ones come all the same', async () => {
  page.files.add([await fileOf('1.har', 'a'), await fileOf('2.har', 'b'), await fileOf('3.har', 'c')]);
  await until(() => page.offered.length === 1);

  page.ask({ type: 'cancel' });
  await until(() => page.closed === 1);
  page.files.add([await fileOf('4.har', 'd')]);

  await until(() => page.offered.length === 2);
  expect(page.offered.map(({ name }) => name)).toEqual(['1.har', '4.har']);
});

test('a page cannot name a path, leave the file, or ask for more than one piece at a time', async () => {
  for (const request of [
    { type: 'read', at: 0, path: '/etc/passwd' },
    { type: 'read', at: -1 },
    { type: 'read', at: 1 },
    { type: 'read', at: 0.5 },
    { type: 'read', at: '/etc/passwd' },
    { type: 'open', path: '/etc/passwd' },
    '/etc/passwd',
    null,
  ]) {
    page = newPage();
    page.files.add([await fileOf('one.har', 'a')]);
    await until(() => page.offered.length === 1);

    page.ask(request);

    const isFirst = typeof request === 'object' && request?.type === 'read' && request.at === 0;
    if (isFirst) {
      page.ask(request);
      expect(page.closed).toBe(1);
    } else {
      expect([request, page.closed, page.answers]).toEqual([request, 1, []]);
    }
  }
});

test('what is no regular file of our kinds is refused with a reason, and the next one comes', async () => {
  await mkdir(join(folder, 'folder.har'));
  const server = createServer().listen(join(folder, 'pipe.har'));
  await once(server, 'listening');

  page.files.add([
    join(folder, 'folder.har'),
    join(folder, 'pipe.har'),
    join(folder, 'missing.har'),
    await fileOf('notes.txt', 'x'),
    await fileOf('good.har', 'x'),
  ]);

  await until(() => page.offered.length === 1);
  expect(page.refused).toEqual([
    'folder.har is not a regular file.',
    'pipe.har is not a regular file.',
    expect.stringMatching(/^missing\.har cannot be read: ENOENT/),
    'notes.txt is no file of Weir: it opens .weir and .har files.',
  ]);
  server.close();
});

test('a file that shrinks while it is read says so and ends', async () => {
  const path = await fileOf('shrinking.har', 'abc');
  page.files.add([path]);
  await until(() => page.offered.length === 1);
  await writeFile(path, '');

  expect(await page.read(0)).toEqual({ type: 'failed', message: 'The file has become shorter while it was read.' });
  expect(page.closed).toBe(1);
});

test('a whole folder that was opened by mistake is cut', async () => {
  page.here = false;
  const path = await fileOf('same.har', 'x');
  page.files.add(Array.from({ length: 80 }, () => path));
  page.here = true;
  page.files.pageReady();

  for (let count = 1; count <= 50; count += 1) {
    await until(() => page.offered.length === count);
    page.ask({ type: 'done' });
  }
  await until(() => page.closed === 50);
  expect(page.offered).toHaveLength(50);
  expect(page.refused).toEqual(['30 files were left out: 50 wait to be imported already.']);
});
