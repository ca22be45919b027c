/**
 * One object of each kind that a call can name, all of the laboratory's group, and new ones for calls that consume
 * them.
 */
import { randomUUID } from 'node:crypto';
import { startJob } from '../src/jobs/start-job.ts';
import type { TestApi } from './api.ts';
import type { CompletedTask } from './completed-task.ts';
import { PANEL } from './laboratory.ts';
import { createUpload } from './tus.ts';

export interface Objects {
  group: string;
  task: string;
  taskResult: string;
  job: string;
  variant: string;
  project: string;
  file: string;
  upload: string;
  panel: string;
  panelValue: string;
  preset: string;
  presetName: string;
  genome: string;
  pipeline: string;
}

/** Ids that no object has. */
export const noObjects = (): Objects => ({
  group: randomUUID(),
  task: randomUUID(),
  taskResult: randomUUID(),
  job: randomUUID(),
  variant: '0-0123456789abcdef',
  project: randomUUID(),
  file: randomUUID(),
  upload: randomUUID(),
  panel: randomUUID(),
  panelValue: 'no_panel',
  preset: randomUUID(),
  presetName: 'no-preset',
  genome: randomUUID(),
  pipeline: randomUUID(),
});

export type Kind = 'task' | 'job' | 'project' | 'file' | 'upload' | 'preset' | 'pipeline';

/** Creates an object of that kind that nothing else uses. */
export async function freshObject(api: TestApi, { lab }: CompletedTask, kind: Kind): Promise<string> {
  const { db, now } = api.deps;
  const id = randomUUID();
  const name = `fresh-${id.slice(0, 8)}`;
  if (kind === 'task') return await lab.launch(['S1'], { name });
  if (kind === 'file') return await lab.addFile(`${name}.fastq`);
  if (kind === 'preset') return await lab.addPreset(name);
  if (kind === 'upload') {
    const { headers } = await createUpload({ api, ...lab }, `${name}.fastq`, 100);
    return headers.get('location')!.split('/').at(-1)!;
  }
  if (kind === 'job') {
    const job = { kind: 'nothing', group: lab.group, username: lab.user.username };
    return await db.transaction((trx) => startJob(trx, job, now()));
  }
  const row = { id, name, created: now() };
  if (kind === 'project') await db('project').insert({ ...row, group_id: lab.group, owner_id: lab.user.id });
  else await db('pipeline').insert({ ...row, display_name: name, version: '1.0.0', status: 'active', spec: '{}' });
  return id;
}

/** Creates the objects. The panel is limited to the laboratory's group. */
export async function laboratoryObjects(api: TestApi, task: CompletedTask): Promise<Objects> {
  const { db, now } = api.deps;
  const { lab } = task;
  await db('panel_type')
    .where({ id: lab.panel })
    .update({ group_list: JSON.stringify([lab.group]) });
  const taskResult = randomUUID();
  await db('task_result').insert({
    id: taskResult,
    task_id: task.id,
    step: 'post-filter',
    attempt: 0,
    state: 'Succeeded',
    started: now(),
    finished: now(),
  });
  return {
    group: lab.group,
    task: task.id,
    taskResult,
    job: await freshObject(api, task, 'job'),
    variant: (await task.get('/variants')).body.results[0].id,
    project: lab.project,
    file: await lab.addFile('S3_R1.fastq'),
    upload: await freshObject(api, task, 'upload'),
    panel: lab.panel,
    panelValue: PANEL.value,
    preset: await lab.addPreset('strict'),
    presetName: 'strict',
    genome: (await db('genome').first('id'))!.id,
    pipeline: await freshObject(api, task, 'pipeline'),
  };
}
