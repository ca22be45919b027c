import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

test('the types of the calls are those of the api’s document (npm run generate -w console)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-types-'));
  const fresh = join(folder, 'generated.ts');
  const script = join(__dirname, '..', '..', 'scripts', 'generate.ts');
  const made = spawnSync(process.execPath, [script, fresh], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const differs =
    made.status === 0 && readFileSync(fresh, 'utf8') !== readFileSync(join(__dirname, 'generated.ts'), 'utf8');
  rmSync(folder, { recursive: true, force: true });
  expect([made.status, differs]).toEqual([0, false]);
});
