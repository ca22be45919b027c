import { expect, test } from '@jest/globals';
import { areaLines, idsInTitles, type Requirement } from './trace.ts';

/** Test files with `<AB-01>` for the mark of an id, so that this file names none. */
const marked = (text: string): string => text.replaceAll(/<(\w+-\d+)>/g, '[$1]');

const TEXT = marked(`
// an id <AB-09> in a comment is no title
test('<AB-01> <AB-02> is refused', () => {});
test.each([
  ["<AB-03> the user's own", f('x')],
  ['none', '[not an id]'],
])('case %s', () => {});
test.each(rows.map((row) => [row]))("<CD-01> %s ends", () => {});
`);

test('ids are found in titles and in the cases of a table of tests', () => {
  expect(idsInTitles('a.test.ts', TEXT).map(({ ids, title }) => [ids, title])).toEqual([
    [['AB-01', 'AB-02'], marked('<AB-01> <AB-02> is refused')],
    [['AB-03'], marked("<AB-03> the user's own")],
    [['CD-01'], marked('<CD-01> %s ends')],
  ]);
});

test('the table counts requirements with a test, with a test of a screen, and without', () => {
  const requirements = ['AB-01', 'AB-02', 'AB-03', 'CD-01'].map(
    (id): Requirement => ({ id, area: id.slice(0, 2), text: 't' }),
  );
  const named = (file: string) => [{ file, title: 't', ids: [] }];
  const byId = new Map([
    ['AB-01', named('api/src/a.test.ts')],
    ['AB-02', named('console/src/a.test.tsx')],
  ]);
  expect(areaLines(requirements, byId)).toEqual([
    'area      proven  screen    open',
    'AB             2       1       1  AB-03',
    'CD             0       0       1  CD-01',
    'all            2       1       2',
  ]);
});
