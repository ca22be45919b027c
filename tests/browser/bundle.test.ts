/** Limits the size of the code that the browser loads before the first paint. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/product.ts';

test('the console’s entry is within its limits and igv has its own chunk', () => {
  const check = spawnSync(process.execPath, [join(ROOT, 'console', 'scripts', 'bundle-check.ts')], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect(check.stderr).toBe('');
  expect(check.stdout).toMatch(/entry: \d+\.\d KB script/);
  expect(check.status).toBe(0);
});
