import { isPlainName, isPlainPath } from './storage-path.ts';

test.each(['a', 'a.b', '.upload-1', '...', 'Probe 1', '样本', '%2e%2e'])('%s is a plain name', (name) => {
  expect(isPlainName(name)).toBe(true);
});

test.each(['', '.', '..', 'a/b', '/', 'a\\b', 'a\0b', '..\\'])('%j is no plain name', (name) => {
  expect(isPlainName(name)).toBe(false);
});

test.each([
  ['tasks/t1/logs/a.log', true],
  ['a', true],
  ['', false],
  ['/etc/passwd', false],
  ['a/', false],
  ['a//b', false],
  ['a/./b', false],
  ['a/../b', false],
  ['..', false],
  ['a/b\0', false],
])('%j is a plain path: %s', (path, plain) => {
  expect(isPlainPath(path)).toBe(plain);
});
