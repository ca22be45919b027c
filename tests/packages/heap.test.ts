import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

test.each(['operator', 'api'])(
  'the heap of the image of %s is a share of the memory that the container may use',
  (name) => {
    const options = /NODE_OPTIONS="([^"]+)"/.exec(readFileSync(join(ROOT, name, 'Dockerfile'), 'utf8'))?.[1] ?? '';
    const limit = Number(
      execFileSync(process.execPath, ['-p', 'v8.getHeapStatistics().heap_size_limit'], {
        env: { ...process.env, NODE_OPTIONS: options },
        encoding: 'utf8',
      }),
    );
    const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
    expect(limit / memory).toBeGreaterThan(0.55);
    // In addition to the young generation.
    expect(limit / memory).toBeLessThan(0.7);
  },
);
