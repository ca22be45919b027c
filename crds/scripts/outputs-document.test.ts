import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { outputsDocument } from './outputs-document.ts';

test('docs/outputs.md says what the tables say: run `npm run docs -w crds` when it does not', () => {
  expect(readFileSync(new URL('../../docs/outputs.md', import.meta.url), 'utf8')).toBe(outputsDocument());
});
