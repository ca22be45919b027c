/** Plays the calls on projects, files, uploads and configuration that the api refuses. */
import { randomUUID } from 'node:crypto';
import type { Answer, TestApi } from '../api.ts';
import type { Laboratory } from '../laboratory.ts';
import { createUpload } from '../tus.ts';

/** Plays against a laboratory that has an open task with the files of S1. */
export async function playFiles(api: TestApi, lab: Laboratory): Promise<Answer[]> {
  const { db } = api.deps;
  const call = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api/v1/pivat/${lab.group}/${path}`, { token: lab.user.token, ...(body ? { body } : {}) });
  const inUse = (await db('project_file').where({ name: 'S1_R1.fastq' }).first('id'))!;
  const target = { api, user: lab.user, group: lab.group, project: lab.project };
  const answers = [
    await call('POST', 'projects', { name: 'p1' }),
    await call('POST', 'projects', { name: 5 }),
    await call('GET', `projects/${randomUUID()}`),
    await call('POST', `projects/${lab.project}/delete`),
    await call('POST', `project-files/${inUse.id}/delete`),
    await createUpload(target, 'S1_R1.fastq', 10),
    await createUpload(target, 'S1.vcf', 10),
    await createUpload(target, 'S9_R1.fastq.gz', 2 * 1024 ** 3 + 1),
    await createUpload(target, 'S9_R1.fastq.gz', 10, { batch: '101' }),
  ];
  await db('user_group').where({ id: lab.group }).update({ allocated_bytes: 1000 });
  answers.push(await createUpload(target, 'S9_R1.fastq.gz', 5000));
  await db('user_group').where({ id: lab.group }).update({ allocated_bytes: null });
  return answers;
}

/** Plays saves of a group and a genome that changed after they were read. */
export async function playOutdatedSaves(api: TestApi): Promise<Answer[]> {
  const { token } = await api.addUser({ staff: true });
  const admin = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api/v1/pivat/admin/${path}`, { token, ...(body ? { body } : {}) });
  const group = await admin('POST', 'groups', { name: 'lab_c' });
  await api.deps.db('genome').update({ modified: new Date(0), created: new Date(0) });
  const genome = (await api.deps.db('genome').first('id'))!;
  return [
    await admin('PUT', `groups/${group.body.id}`, { version: 'outdated', members: [] }),
    await admin('PUT', `genomes/${genome.id}`, { version: 'outdated', display_name: 'Mine' }),
  ];
}
