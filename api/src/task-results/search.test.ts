import { containing, uuidRange } from './search.ts';

test('the start of an id becomes the range of ids with this start', () => {
  expect(uuidRange(' 0757E4DD ')).toEqual([
    '0757e4dd-0000-0000-0000-000000000000',
    '0757e4dd-ffff-ffff-ffff-ffffffffffff',
  ]);
  const whole = '0757e4dd-8bcc-4bf7-acb6-9d1bd29b81d5';
  expect(uuidRange(whole)).toEqual([whole, whole]);
});

test('a text that starts no id has no range', () => {
  for (const typed of ['', 'abc', 'run-1', 'cohort', `${'a'.repeat(33)}`]) expect(uuidRange(typed)).toBeUndefined();
});

test('pattern characters are escaped', () => {
  expect(containing(' 50%_a\\b ')).toBe('%50\\%\\_a\\\\b%');
});
