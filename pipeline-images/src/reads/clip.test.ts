import { clipTo } from './clip.ts';
import { CIGAR_LETTERS, formatCigar } from './sam-record.ts';

/** Parses a CIGAR string. Returns it as numbers, with the last reference base it covers from `pos`. */
function cigar(text: string): number[] {
  return [...text.matchAll(/(\d+)([MIDNSHP=X])/g)].map(([, n, op]) => (Number(n) << 4) | CIGAR_LETTERS.indexOf(op!));
}
const refEnd = (pos: number, text: string): number =>
  pos + [...text.matchAll(/(\d+)[MDN=X]/g)].reduce((sum, [, n]) => sum + Number(n), 0) - 1;

test.each([
  ['100M', 101, 200, '20S60M20S', 121, 180],
  ['100M', 130, 200, '51M49S', 130, 180],
  ['5S95M', 101, 200, '25S60M15S', 121, 180],
  // An insertion after the last kept base is clipped, one inside is kept.
  ['40M2I40M', 101, 200, '20S20M2I40M', 121, 180],
  ['80M2I20M', 101, 200, '20S60M22S', 121, 180],
  // A deletion across the primer's end is clipped completely.
  ['15M10D70M', 101, 300, '15S70M', 126, 195],
  ['15H100M', 101, 200, '15H20S60M20S', 121, 180],
])('%s at %i keeps the bases in 121-180 (%i)', (text, pos, _end, expected, newPos, newEnd) => {
  const to = text === '15M10D70M' ? 300 : 180;
  const clipped = clipTo(pos, refEnd(pos, text), cigar(text), 121, to)!;
  expect([formatCigar(clipped.cigar), clipped.pos, clipped.refEnd]).toEqual([expected, newPos, newEnd]);
});

test('a read inside stays unchanged, one outside is clipped completely', () => {
  expect(clipTo(130, 170, cigar('41M'), 121, 180)).toBeUndefined();
  expect(clipTo(100, 119, cigar('20M'), 121, 180)!.cigar).toEqual([]);
  expect(clipTo(181, 200, cigar('20M'), 121, 180)!.cigar).toEqual([]);
});
