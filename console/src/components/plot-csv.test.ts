import { csvOf } from './plot-csv.ts';

test('caption, names and rows are lines; every value stays in its column', () => {
  const text = csvOf(
    ['Pool "cpu"'],
    ['time', 'nodes, wanted'],
    [
      ['a "b"', 2],
      [null, -1],
    ],
  );
  expect(text).toBe('\u{FEFF}# Pool "cpu"\r\ntime,"nodes, wanted"\r\n"a ""b""",2\r\n,-1\r\n');
});

test('a cell that starts like a formula is written as text', () => {
  expect(csvOf([], ['name'], [['=1+1'], ['@x'], ['-2']])).toBe("\u{FEFF}name\r\n'=1+1\r\n'@x\r\n'-2\r\n");
});
