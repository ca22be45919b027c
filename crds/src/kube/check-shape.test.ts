import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { AnalysisTask } from '../kinds.ts';
import { checkShape } from './check-shape.ts';
import { KubeClient } from './client.ts';
import { Invalid } from './errors.ts';
import { ANALYSIS_TASKS, JOBS, PIPELINES } from './objects.ts';
import { answer, startTestServer } from './test-server.ts';

const signal = new AbortController().signal;
const SHA = 'a'.repeat(64);

const aTask = (changes: Partial<AnalysisTask['spec']> = {}): AnalysisTask => ({
  apiVersion: 'seqpanel.dev/v1alpha1',
  kind: 'AnalysisTask',
  metadata: { name: 't1', annotations: { 'seqpanel.dev/launch': 'x' } },
  spec: {
    name: 'Run-1',
    group: 'g',
    project: 'p',
    panelType: { name: 'demo', sha256: SHA },
    pipeline: { name: 'panel-1.0.0', version: '1.0.0' },
    preset: { name: 'Default', sha256: SHA },
    source: 'fq',
    samples: [{ name: 'S1', libraryId: 'S1', files: [{ name: 'S1_R1.fastq.gz' }] }],
    ...changes,
  },
});

test('an object that violates its schema is not sent, and the error names each field', async () => {
  const server = await startTestServer(answer(201, {}));
  const client = new KubeClient(server.access);
  const broken = aTask({ name: 'a b', samples: [{ name: 'S 1', libraryId: 'S1', files: [{ name: 'f' }] }] });
  for (const call of [
    client.create(ANALYSIS_TASKS, broken, { signal }),
    client.update(ANALYSIS_TASKS, broken, { signal }),
  ]) {
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Invalid);
    expect((error as Invalid).message).toMatch(
      /^AnalysisTask "t1" is invalid: .*spec\.name: must match pattern.*spec\.samples\[0\]\.name: must match pattern/,
    );
  }
  expect(server.seen).toEqual([]);
  await client.create(ANALYSIS_TASKS, aTask(), { signal });
  await client.update(ANALYSIS_TASKS, { ...broken, status: { revision: 1 } }, { signal, subresource: 'status' });
  expect(server.seen).toHaveLength(2);
  await client.close();
  await server.stop();
});

test('a message with hundreds of causes names a few and counts the others', async () => {
  const samples = Array.from({ length: 96 }, () => ({ name: 'a b', libraryId: 'S1', files: [{ name: 'f' }] }));
  await expect(checkShape(ANALYSIS_TASKS, aTask({ samples }))).rejects.toThrow(/; 91 more$/);
});

test('the shipped Pipelines are valid, and kinds of other groups are not checked', async () => {
  const folder = join(import.meta.dirname, '..', '..', 'pipelines');
  for (const name of readdirSync(folder))
    await checkShape(PIPELINES, parse(readFileSync(join(folder, name), 'utf8')) as object);
  await checkShape(JOBS, { metadata: { name: 'any' } });
});
