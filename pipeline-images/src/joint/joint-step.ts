import { writeFile } from 'node:fs/promises';
import { JOINT_TABLES } from '@seqpanel/crds/outputs/joint.ts';
import type { TaskContext, TaskStep } from '../runner/step-definition.ts';
import { tableText, writeZipped } from '../tables/write-table.ts';

/**
 * Writes the tables over the calls of all samples. This pipeline version has no methods for them (BAF, SMA, thalassemia),
 * so every table is empty. Readers can still rely on its columns.
 */
async function run({ out }: TaskContext) {
  await Promise.all(
    JOINT_TABLES.map((table) =>
      table.file.endsWith('.gz')
        ? writeZipped(`${out}/${table.file}`, tableText(table, []))
        : writeFile(`${out}/${table.file}`, tableText(table, [])),
    ),
  );
  return {};
}

export const jointStep: TaskStep = {
  name: 'joint',
  scope: 'task',
  revision: 1,
  tools: [],
  inputs: async () => ({ tables: JOINT_TABLES.map(({ file, columns }) => [file, columns.map(([name]) => name)]) }),
  run,
};
