/** What the browser has to load before anything is shown stays small. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/product.ts';

test('the console’s entry is within its limits and igv is in a chunk of its own', () => {
  const check = spawnSync(process.execPath, [join(ROOT, 'console', 'scripts', 'bundle-check.ts')], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect(check.stderr).toBe('');
  expect(check.stdout).toMatch(/entry: \d+\.\d KB script/);
  expect(check.status).toBe(0);
});
