import { sameJson } from './same-json.ts';

test.each([
  ['equal objects', { a: 1, b: [1] }, { b: [1], a: 1 }, true],
  ['a changed field', { a: 1, b: 2 }, { a: 1, b: 3 }, false],
  ['a removed field', { a: 1, b: 2 }, { a: 1 }, false],
  ['a new field', { a: 1 }, { a: 1, b: 2 }, false],
  ['an undefined field, which is ignored', { a: 1 }, { a: 1, b: undefined }, true],
  ['a nested change', { a: { x: 1, y: 2 } }, { a: { x: 1, y: 3 } }, false],
  ['lists in another order', { a: [1, 2] }, { a: [2, 1] }, false],
  ['a shorter list', [1, 2], [1], false],
  ['a list and an object', [], {}, false],
  ['null and an object', null, {}, false],
  ['undefined and an object', undefined, { a: 1 }, false],
])('%s', (_, a, b, same) => {
  expect(sameJson(a, b)).toBe(same);
});
