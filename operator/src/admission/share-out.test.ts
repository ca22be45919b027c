import { shareOut } from './share-out.ts';

const claim = (wants: number, weight = 1, held = 0) => ({ wants, weight, held });

test.each([
  ['all get what they want when there is enough', 10, [claim(3), claim(4)], [3, 4]],
  ['no claim gets more than another that wants more', 10, [claim(9), claim(9)], [5, 5]],
  ['unwanted units go to the others', 10, [claim(1), claim(9), claim(9)], [1, 5, 4]],
  ['weights', 9, [claim(99, 2), claim(99, 1)], [6, 3]],
  ['held units count', 4, [claim(9, 1, 5), claim(9, 1, 1)], [0, 4]],
  ['nothing to give', 0, [claim(2), claim(2)], [0, 0]],
  ['no limit', Number.POSITIVE_INFINITY, [claim(96_000)], [96_000]],
  ['no claims', 5, [], []],
])('%s', (_, units, claims, shares) => {
  expect(shareOut(units, claims)).toEqual(shares);
});
