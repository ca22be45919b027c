import fc from 'fast-check';
import { formatRanges, parseRanges } from './step-contract.ts';

const indexes = fc.uniqueArray(fc.nat({ max: 400 })).map((list) => list.sort((a, b) => a - b));

describe('ranges of indexes', () => {
  test('ranges are read back as written, in any order and with repeated indexes', () => {
    fc.assert(
      fc.property(indexes, fc.array(fc.nat({ max: 400 })), (list, noise) => {
        const repeated = [...list, ...noise.filter((index) => list.includes(index))].reverse();
        expect(parseRanges(formatRanges(repeated))).toEqual(list);
      }),
    );
  });

  test('ranges are as short as possible: no two ranges touch', () => {
    fc.assert(
      fc.property(indexes, (list) => {
        const ranges = formatRanges(list)
          .split(',')
          .filter(Boolean)
          .map((range) => range.split('-').map(Number));
        for (const [i, range] of ranges.slice(1).entries()) expect(range[0]!).toBeGreaterThan(ranges[i]!.at(-1)! + 1);
      }),
    );
  });

  test('every second of 384 samples fits into the field for failed samples', () => {
    const every = Array.from({ length: 192 }, (_, i) => 2 * i);
    expect(formatRanges(every).length).toBeLessThan(2000);
  });

  test.each([
    [[0, 1, 2, 3, 5], '0-3,5'],
    [[7], '7'],
    [[], ''],
    [[3, 1, 2], '1-3'],
  ])('%j is written %j', (list, text) => {
    expect(formatRanges(list)).toBe(text);
  });

  test('neighbouring indexes without a range, as Kubernetes writes them, are accepted', () => {
    expect(parseRanges('0,1,4-6')).toEqual([0, 1, 4, 5, 6]);
  });

  test.each([['a'], ['1-'], ['-1'], ['1,,2'], ['3-1'], ['1 - 2'], ['1;2'], ['1,']])(
    '%j is rejected with the reason',
    (text) => {
      expect(() => parseRanges(text)).toThrow(`"${text}" is not a list of ranges`);
    },
  );
});
