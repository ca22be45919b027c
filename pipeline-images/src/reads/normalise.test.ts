import { homopolymer, normalise } from './normalise.ts';

//            101        111
const window = 'GATCAAAAAATCGCACACAG';
const at = (pos: number, ref: string, alt: string) => normalise({ pos, ref, alt }, window, 101);

test.each([
  ['a deletion in a run moves to the start of the run', [109, 'AA', 'A'], { pos: 104, ref: 'CA', alt: 'C' }],
  ['an insertion in a run moves to the start of the run', [110, 'A', 'AA'], { pos: 104, ref: 'C', alt: 'CA' }],
  ['a deleted repeat unit moves to the first unit', [117, 'ACA', 'A'], { pos: 113, ref: 'GCA', alt: 'G' }],
  ['shared bases are trimmed', [102, 'ATC', 'AGC'], { pos: 103, ref: 'T', alt: 'G' }],
  ['an MNV is not split', [102, 'ATC', 'GTG'], { pos: 102, ref: 'ATC', alt: 'GTG' }],
])('%s', (_title, [pos, ref, alt], expected) => {
  expect(at(pos as number, ref as string, alt as string)).toEqual(expected);
});

test('the longest run at a change is found on both sides of it', () => {
  expect(homopolymer({ pos: 104, ref: 'CA', alt: 'C' }, window, 101)).toBe(6);
  expect(homopolymer({ pos: 111, ref: 'T', alt: 'G' }, window, 101)).toBe(6);
  expect(homopolymer({ pos: 102, ref: 'A', alt: 'G' }, window, 101)).toBe(1);
});
