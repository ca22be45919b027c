import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SHIPPED_PARAMETERS } from '@seqpanel/crds/parameters.ts';

/** Source code of all folders except tests, because steps share code across folders. */
const source = readdirSync(join(import.meta.dirname, '..'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(import.meta.dirname, '..', name), 'utf8'))
  .join('\n');

test.each(SHIPPED_PARAMETERS.map((p) => p.key))('the parameter %s is read by a step', (key) => {
  expect(new RegExp(`parameter\\([\\w.]+, '${key}'\\)`).test(source)).toBe(true);
});
