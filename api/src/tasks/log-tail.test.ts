import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completedTask } from '../../test-support/completed-task.ts';
import { placeIn } from '../storage/inside-storage.ts';
import { tailOf } from './log-tail.ts';

const folder = mkdtempSync(join(tmpdir(), 'seqpanel-tail-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function tail(content: string, lines: number, most?: number): Promise<[number, string]> {
  writeFileSync(join(folder, 'log'), content);
  const { offset, text } = await tailOf(placeIn(folder, 'log'), lines, most);
  return [offset, text.toString()];
}

test.each<[string, string, number, number | undefined, [number, string]]>([
  ['fewer lines than there are', 'a\nbb\nccc\n', 2, undefined, [2, 'bb\nccc\n']],
  ['no newline at the end', 'a\nbb\nccc', 2, undefined, [2, 'bb\nccc']],
  ['more lines than there are', 'a\nbb\n', 5, undefined, [0, 'a\nbb\n']],
  ['an empty file', '', 5, undefined, [0, '']],
  ['a cut at a line', 'aaaa\nbb\ncc\n', 9, 8, [5, 'bb\ncc\n']],
  ['a line longer than the cut', 'aaaaaaaaaa', 9, 4, [6, 'aaaa']],
  ['a whole file of exactly the limit', 'a\nbb\n', 9, 5, [0, 'a\nbb\n']],
])('the tail of %s', async (_title, content, lines, most, expected) => {
  expect(await tail(content, lines, most)).toEqual(expected);
});

test('lines across the borders of two reads are complete', async () => {
  const lines = Array.from({ length: 30_000 }, (_, i) => `line ${i}\n`);
  const [, text] = await tail(lines.join(''), 20_000);
  expect(text).toBe(lines.slice(10_000).join(''));
});

describe('the call', () => {
  const given = completedTask();

  test.each(['tail=100001', 'tail=0', 'tail=-1', 'tail=x', 'tail=1&tail=2', 'download=maybe', 'tail=1%00'])(
    'refuses ?%s',
    async (query) => {
      expect(await given.task.get(`/logs/reads-S1.log?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'request_invalid' },
      });
    },
  );

  test('treats ?download=false as no download', async () => {
    const { headers } = await given.task.get('/logs/reads-S1.log?download=false');
    expect(headers.get('content-disposition')).toMatch(/^inline/);
  });

  test('rejects a repeated path of an output file', async () => {
    expect(await given.task.get('/output/file?path=a&path=b')).toMatchObject({
      status: 400,
      body: { code: 'request_invalid' },
    });
  });
});
