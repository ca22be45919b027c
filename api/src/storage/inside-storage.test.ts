import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFile, linkFile, makeFolder, removeEntry, renameEntry, syncFile, writeWhole } from './change-storage.ts';
import {
  isFile,
  LinkRefused,
  listFolder,
  openToRead,
  openToWrite,
  placeIn,
  readBytes,
  readText,
  statEntries,
  statEntry,
  withFolder,
} from './inside-storage.ts';

let base: string;
let root: string;
const outside = (path: string): string => join(base, 'outside', path);

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'seqpanel-inside-'));
  root = join(base, 'storage');
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(root, 'a', 'b', 'file'), 'content');
  writeFileSync(outside('secret'), 'secret');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test.each(['..', '../outside/secret', 'a/../../outside/secret', '/etc/passwd', 'a//b', 'a/', './a', 'a\0', 'a\\b', ''])(
  'the path %j has no place below the root',
  (path) => {
    expect(() => placeIn(root, path)).toThrow(expect.objectContaining({ status: 404 }));
    expect(() => placeIn(root, 'a').at(path)).toThrow(expect.objectContaining({ status: 404 }));
    expect(() => placeIn(root, 'a').child(path)).toThrow(expect.objectContaining({ status: 404 }));
  },
);

test('a child is one name without a slash', () => {
  expect(placeIn(root).child('b').path).toBe('b');
  expect(() => placeIn(root).child('b/file')).toThrow();
});

describe('links', () => {
  test.each([
    ['the file', () => symlinkSync(outside('secret'), join(root, 'a', 'link')), 'a/link'],
    ['a file of the storage', () => symlinkSync(join(root, 'a', 'b', 'file'), join(root, 'a', 'link')), 'a/link'],
    ['a folder on the way', () => symlinkSync(join(base, 'outside'), join(root, 'a', 'link')), 'a/link/secret'],
    ['a folder of the storage', () => symlinkSync(join(root, 'a', 'b'), join(root, 'a', 'link')), 'a/link/file'],
    ['a link to itself', () => symlinkSync('link', join(root, 'a', 'link')), 'a/link'],
  ])('%s: every way of reading and writing is refused', async (_title, plant, path) => {
    plant();
    const place = placeIn(root, path);
    for (const work of [
      () => readText(place),
      () => openToRead(place),
      () => openToWrite(place),
      () => statEntry(place),
      () => syncFile(place),
      () => listFolder(placeIn(root, 'a/link')),
      () => statEntries(placeIn(root, 'a/link')),
      () => makeFolder(placeIn(root, 'a/link/new')),
      () => createFile(placeIn(root, 'a/link/new')),
      () => writeWhole(placeIn(root, 'a/link/new'), 'x'),
      () => linkFile(placeIn(root, 'a/b/file'), placeIn(root, 'a/link/new')),
      () => renameEntry(placeIn(root, 'a/b/file'), placeIn(root, 'a/link/new')),
    ]) {
      const error = await work().then(
        () => undefined,
        (failure) => failure,
      );
      // For a link to a file in place of a folder the file system returns ENOTDIR.
      expect(error instanceof LinkRefused || error?.code === 'ENOTDIR' ? 'refused' : error).toBe('refused');
    }
    expect(await isFile(place)).toBe(false);
    expect(existsSync(outside('new'))).toBe(false);
  });

  test('the message contains the name of the link, and sizes omit links', async () => {
    symlinkSync(outside('secret'), join(root, 'a', 'link'));
    await expect(readText(placeIn(root, 'a/link'))).rejects.toMatchObject({ code: 'file_is_link', status: 404 });
    await expect(readText(placeIn(root, 'a/link'))).rejects.toThrow('link is a symbolic link');
    expect((await statEntries(placeIn(root, 'a'))).map(({ name }) => name)).toEqual(['b']);
    expect((await listFolder(placeIn(root, 'a'))).filter((entry) => entry.isFile())).toEqual([]);
  });

  test('the root itself may be a link', async () => {
    symlinkSync(root, join(base, 'mount'));
    expect(await readText(placeIn(join(base, 'mount'), 'a/b/file'))).toBe('content');
  });

  test('a folder replaced by a link while it is open is still the folder', async () => {
    const found = await withFolder(placeIn(root, 'a/b'), async (at) => {
      renameSync(join(root, 'a', 'b'), join(root, 'a', 'moved'));
      symlinkSync(join(base, 'outside'), join(root, 'a', 'b'));
      return readFileSync(join(at, 'file'), 'utf8');
    });
    expect(found).toBe('content');
  });

  test('removing a folder removes its links, not their targets', async () => {
    symlinkSync(join(base, 'outside'), join(root, 'a', 'b', 'folder'));
    symlinkSync(outside('secret'), join(root, 'a', 'b', 'file2'));
    await removeEntry(placeIn(root, 'a'));
    expect(existsSync(join(root, 'a'))).toBe(false);
    expect(readFileSync(outside('secret'), 'utf8')).toBe('secret');
  });

  test('writing a file replaces a link of its name', async () => {
    symlinkSync(outside('secret'), join(root, 'a', 'link'));
    await writeWhole(placeIn(root, 'a/link'), 'new');
    expect(await readText(placeIn(root, 'a/link'))).toBe('new');
    expect(readFileSync(outside('secret'), 'utf8')).toBe('secret');
  });
});

test('a pipe or a folder in place of a file is refused at once', async () => {
  execFileSync('mkfifo', [join(root, 'a', 'pipe')]);
  await expect(readText(placeIn(root, 'a/pipe'))).rejects.toMatchObject({ status: 404 });
  await expect(openToWrite(placeIn(root, 'a/pipe'))).rejects.toMatchObject({ status: 404 });
  await expect(readText(placeIn(root, 'a/b'))).rejects.toMatchObject({ status: 404 });
});

test('a missing file rejects with ENOENT and the path below the root', async () => {
  for (const work of [readText, statEntry, listFolder, openToRead]) {
    await expect(work(placeIn(root, 'a/none'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(work(placeIn(root, 'none/none'))).rejects.toMatchObject({ code: 'ENOENT' });
  }
  await expect(statEntry(placeIn(root, 'a/none'))).rejects.toThrow(/'a\/none'/);
  await removeEntry(placeIn(root, 'none/none'));
  await expect(removeEntry(placeIn(root))).rejects.toThrow();
});

test('folders are created below the root, also in parallel; a missing root is not created', async () => {
  await Promise.all(Array.from({ length: 10 }, () => makeFolder(placeIn(root, 'x/y/z'))));
  await writeWhole(placeIn(root, 'x/y/z/f'), 'text');
  expect(await readText(placeIn(root, 'x/y/z/f'))).toBe('text');
  expect((await listFolder(placeIn(root, 'x/y/z'))).map(({ name }) => name)).toEqual(['f']);
  await expect(makeFolder(placeIn(join(base, 'unmounted'), 'x'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a file that is larger than allowed is not read', async () => {
  await expect(readBytes(placeIn(root, 'a/b/file'), 6)).rejects.toMatchObject({ code: 'EFBIG' });
  expect(String(await readBytes(placeIn(root, 'a/b/file'), 7))).toBe('content');
});
