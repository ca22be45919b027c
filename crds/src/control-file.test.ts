import { expect, test } from '@jest/globals';
import { expectedCalls, parseControlFile } from './control-file.ts';

test('a control file with a byte order mark and CRLF lines is read', () => {
  const text =
    '\uFEFF# made by hand\r\n[expected]\r\nmaterial\tchrom\tpos\tref\talt\tvaf\r\nHD701\t7\t140453136\tA\tT\t0.105\r\n\r\n[amplicons]\r\namplicon\tcopies\r\n';
  const { control, problems } = parseControlFile(text);
  expect(problems).toEqual([]);
  expect(expectedCalls(control)).toEqual([
    { material: 'HD701', chrom: '7', pos: 140453136, ref: 'A', alt: 'T', vaf: 0.105 },
  ]);
  expect(control.sections.amplicons).toEqual({ columns: ['amplicon', 'copies'], rows: [] });
});

test('[PANEL-15] errors are reported with their line', () => {
  const { problems } = parseControlFile('stray\n[magic]\nx\n[site_noise]\nchrom\tpos\talt\n1\t2\n[site_noise]\n');
  expect(problems.map((p) => `${p.path}: ${p.message}`)).toEqual([
    'line 1: is before the first [section]',
    'line 2: [magic] is not a section of a control file',
    '[site_noise] line 5: lacks the column "rate"',
    '[site_noise] line 6: has 2 columns where the section has 3',
    'line 7: [site_noise] occurs twice',
  ]);
});
