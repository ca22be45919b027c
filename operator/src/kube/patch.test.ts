import { mergePatch } from './patch.ts';

test.each([
  ['equal objects', { a: 1, b: [1] }, { a: 1, b: [1] }, undefined],
  ['a changed field', { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 3 }],
  ['a field that is gone', { a: 1, b: 2 }, { a: 1 }, { b: null }],
  ['an undefined field', { a: 1, b: 2 }, { a: 1, b: undefined }, { b: null }],
  ['a nested change', { a: { x: 1, y: 2 } }, { a: { x: 1, y: 3 } }, { a: { y: 3 } }],
  ['a list, replaced whole', { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
  ['nothing there before', undefined, { a: 1 }, { a: 1 }],
])('the merge patch of %s', (_, from, to, patch) => {
  expect(mergePatch(from, to)).toEqual(patch);
});
