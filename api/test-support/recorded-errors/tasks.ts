/** Plays the calls on tasks that the api refuses: launches, reruns, aborts, results. */
import { randomUUID } from 'node:crypto';
import type { Answer, TestApi } from '../api.ts';
import type { Laboratory } from '../laboratory.ts';
import { type Recording, record } from './recording.ts';

/** Plays launches and calls for a task that has no results yet. */
export async function playTasks(api: TestApi, lab: Laboratory): Promise<Answer[]> {
  const { db } = api.deps;
  const call = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api/v1/pivat/${lab.group}/${path}`, { token: lab.user.token, ...(body ? { body } : {}) });
  const launch = (samples: string[], more: object) =>
    call('POST', 'analysis/launch-task', { ...lab.definition(samples), ...more });
  const id = await lab.launch(['S1'], { name: 'waiting' });
  const ended = await lab.launch(['S1'], { name: 'ended' });
  await db('task').where({ id: ended }).update({ status: 'completed' });
  const answers = [
    await launch(['S1', 'S1'], { name: 'a b' }),
    await launch(['S1'], { panel: randomUUID() }),
    await launch(['S1'], { preset: randomUUID() }),
    await call('POST', `tasks/${ended}/abort`),
    await call('GET', `tasks/${id}/igv?sample=S1`),
    await call('GET', `tasks/${id}/logs/none.log`),
    await call('GET', `tasks/${id}/output/file?path=none.tsv`),
  ];
  await db('setting').insert({ name: 'open_tasks_per_group', value: '1', modified: new Date() });
  answers.push(await launch(['S1'], { name: 'many' }));
  await db('setting').where({ name: 'open_tasks_per_group' }).delete();
  return answers;
}

/** Changes of the configuration after a launch, by the code of the api's answer to a rerun. */
const CHANGES = {
  preset_deleted: { table: 'preset', values: { deleted: new Date(0) }, before: { deleted: null } },
  preset_updated: { table: 'preset', values: { version: 2 }, before: { version: 1 } },
  panel_not_active: { table: 'panel_type', values: { active: false }, before: { active: true } },
  panel_type_changed: { table: 'panel_type', values: { value: 'renamed' }, before: { value: 'toy_panel' } },
} as const;

/**
 * Reruns a task after each change, and once without one. `errors`: answers to a rerun; `checks`: answers to the
 * question whether the task can be rerun, by the same names.
 */
export async function playReruns(api: TestApi, lab: Laboratory): Promise<{ errors: Answer[]; checks: Recording }> {
  const { db } = api.deps;
  const preset = await lab.addPreset('strict');
  const id = await lab.launch(['S1'], { name: 'run-1', preset });
  const path = `/api/v1/pivat/${lab.group}/task-rerun/${id}`;
  const ask = (method: string) =>
    api.call(method, path, { token: lab.user.token, ...(method === 'POST' && { body: {} }) });
  const checks: Recording = { unchanged: record(await ask('GET')) };
  const errors: Answer[] = [];
  for (const [name, { table, values, before }] of Object.entries(CHANGES)) {
    const row = db(table).where({ id: table === 'preset' ? preset : lab.panel });
    await row.clone().update(values);
    errors.push(await ask('POST'));
    checks[name] = record(await ask('GET'));
    await row.clone().update(before);
  }
  return { errors, checks };
}
