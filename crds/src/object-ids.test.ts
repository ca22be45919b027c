import { expect, test } from '@jest/globals';
import { isObjectId } from './object-ids.ts';

test.each([
  ['0b6f4c1e-0000-4000-8000-000000000001', true],
  ['0B6F4C1E-0000-4000-8000-000000000001', true],
  ['00000000-0000-0000-0000-000000000000', false],
  ['22222222-2222-2222-2222-222222222222', false],
  ['0b6f4c1e-0000-4000-8000-00000000000', false],
  ['run-1', false],
  ['', false],
  [undefined, false],
])('[API-07] %s as the id of an object: %s', (id, expected) => expect(isObjectId(id)).toBe(expected));
