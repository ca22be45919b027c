/** The stage `post-filter`: writes the verdict of the preset's filters on each call. It never deletes a call. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ALLELES, CONSEQUENCES } from '@seqpanel/crds/outputs/annotation.ts';
import { type FiltersFile, TRACE, traceFile } from '@seqpanel/crds/outputs/post-filter.ts';
import { NO_VALUE } from '@seqpanel/crds/outputs/table.ts';
import { DEFAULT_POST_FILTER } from '@seqpanel/crds/preset-default.ts';
import type { Frozen } from '../runner/frozen.ts';
import type { StepOutcome, TaskContext, TaskStep } from '../runner/step-definition.ts';
import { readTable, readVcf } from '../tables/read-table.ts';
import { tableText, writeZipped } from '../tables/write-table.ts';
import { Funnel } from './funnel.ts';
import { conditionRow, indexAnnotation } from './row.ts';

/** Returns the task's filter groups: the preset's, or the default with use-default on. */
export const effectiveGroups = ({ preset }: Pick<Frozen, 'preset'>) =>
  preset.postFilter.useDefault ? [...DEFAULT_POST_FILTER] : preset.postFilter.groups;

async function inputs({ samples, frozen, upstream }: TaskContext): Promise<Record<string, unknown>> {
  const annotation = await upstream('annotation');
  const calls = await Promise.all(
    samples.map(async ({ sample }) => [sample, (await upstream('call', sample)).sha256('calls.vcf.gz')]),
  );
  return {
    calls,
    annotation: [annotation.sha256(ALLELES.file), annotation.sha256(CONSEQUENCES.file)],
    groups: effectiveGroups(frozen),
  };
}

async function run({ samples, frozen, out, upstream }: TaskContext): Promise<StepOutcome> {
  const groups = effectiveGroups(frozen);
  const annotation = await upstream('annotation');
  const known = indexAnnotation(
    await readTable(annotation.path(ALLELES.file)),
    await readTable(annotation.path(CONSEQUENCES.file)),
  );
  const funnel = new Funnel(groups);
  let kept = 0;
  for (const { sample } of samples) {
    const calls = await readVcf((await upstream('call', sample)).path('calls.vcf.gz'));
    const lines = calls.map((record) => {
      const key = record.info.get('KEY')!;
      const verdict = funnel.judge(conditionRow(record, known.get(key)));
      if (verdict.pass) kept++;
      return [
        key,
        verdict.group ?? NO_VALUE,
        verdict.pass ? 1 : 0,
        verdict.bits || NO_VALUE,
        verdict.missing || NO_VALUE,
      ].join('\t');
    });
    const file = traceFile(sample);
    await mkdir(dirname(`${out}/${file}`), { recursive: true });
    await writeZipped(`${out}/${file}`, tableText(TRACE, lines));
  }
  const filters: FiltersFile = { schema_version: 1, groups };
  await writeFile(`${out}/filters.json`, `${JSON.stringify(filters, null, 1)}\n`);
  await writeFile(`${out}/funnel.json`, `${JSON.stringify(funnel.file(), null, 1)}\n`);
  return { metrics: { kept } };
}

export const postFilterStep: TaskStep = {
  name: 'post-filter',
  scope: 'task',
  revision: 1,
  tools: [],
  inputs,
  run,
};
