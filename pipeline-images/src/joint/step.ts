import { writeFile } from 'node:fs/promises';
import { JOINT_TABLES } from '@seqpanel/crds/outputs/joint.ts';
import type { TaskContext, TaskStep } from '../step/definition.ts';
import { tableText, writeZipped } from '../tables/write.ts';

/**
 * Tables over the calls of all samples. Their methods (BAF, SMA, thalassemia) are none of this pipeline version's: every
 * table is there with its columns, so that readers need no second rule.
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
