import { findCondition, isFalse, isTrue } from './resource-conditions.ts';

const conditions = [
  { type: 'Valid', status: 'True' },
  { type: 'Ready', status: 'False' },
  { type: 'Overdue', status: 'Unknown' },
];

test.each([
  ['Valid', true, false],
  ['Ready', false, true],
  ['Overdue', false, false],
  ['Missing', false, false],
])('the condition %s is true: %s, is false: %s', (type, yes, no) => {
  expect([isTrue(conditions, type), isFalse(conditions, type)]).toEqual([yes, no]);
});

test('a status without conditions has none of them', () => {
  expect([findCondition(undefined, 'Valid'), isTrue(undefined, 'Valid'), isFalse(undefined, 'Valid')]).toEqual([
    undefined,
    false,
    false,
  ]);
});
