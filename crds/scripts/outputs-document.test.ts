import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { outputsDocument } from './outputs-document.ts';

test('docs/outputs.md equals the text generated from the tables; otherwise run `npm run docs -w crds`', () => {
  expect(readFileSync(new URL('../../docs/outputs.md', import.meta.url), 'utf8')).toBe(outputsDocument());
});
