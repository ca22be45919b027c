/** Reads the tools and annotation sources of a task's results. */

import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { stepDir } from '@seqpanel/crds/storage.ts';
import { isSampleStep, stepsOf } from '@seqpanel/crds/task-steps.ts';
import type { Knex } from 'knex';
import type { AnswerOf } from '../feature.ts';
import { readFrozenJson } from '../storage/frozen-files.ts';
import { readText } from '../storage/inside-storage.ts';
import { folderNameOf, folderOf } from '../tasks/task-files.ts';
import type { FullTask } from '../tasks/task-rows.ts';

type Provenance = AnswerOf<'getTaskSummary'>['provenance'];

/** Returns tools and versions of the finished steps. For a step that runs per sample, those of its first sample. */
export async function readTools(
  storageDir: string,
  task: FullTask,
  sample: string | undefined,
): Promise<Provenance['tools']> {
  const folder = folderOf(storageDir, folderNameOf(task));
  const seen = new Map<string, Provenance['tools'][number]>();
  for (const { step: status } of stepsOf(task.mirror)) {
    const step = status.name;
    const place = stepDir(step, isSampleStep(status) ? sample : undefined);
    const result = await readText(folder.at(place, 'result.json')).then(
      (text) => JSON.parse(text) as StepResult,
      () => undefined,
    );
    for (const { name, version, command } of result?.tools ?? []) {
      seen.set(`${name}/${version}`, { name, version, command: command ?? null, step });
    }
  }
  return [...seen.values()];
}

export async function readSources(db: Knex, task: FullTask): Promise<Provenance['sources']> {
  const annotation = await readFrozenJson<{ sources: { name: string; version: string; sha256?: string }[] }>(
    db,
    task.frozen,
    'annotation.json',
  );
  return (annotation.sources ?? []).map(({ name, version, sha256 }) => ({ name, version, sha256: sha256 ?? null }));
}
