import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completedTask } from '../../test-support/completed-task.ts';
import { launchTask } from '../../test-support/launch-calls.ts';
import { GENOME } from '../../test-support/task-outputs.ts';
import { createUpload, sendBytes } from '../../test-support/tus.ts';
import { ingestTask } from '../background/ingest/ingest-task.ts';

const SECRET = 'secret-of-another-place';
const base = mkdtempSync(join(tmpdir(), 'seqpanel-links-'));
const storageDir = join(base, 'storage');
mkdirSync(storageDir);
mkdirSync(join(base, 'outside', 'S1'), { recursive: true });
for (const name of ['secret', 'secret.log', 'reads.bam', 'genome.fa', 'S1/secret'])
  writeFileSync(join(base, 'outside', name), SECRET);
afterAll(() => rmSync(base, { recursive: true, force: true }));

const given = completedTask(() => ({ storageDir }));
const get = async (path: string) => {
  const { lab } = given.task;
  const answer = await given.api.call('GET', path, { token: lab.user.token });
  expect(JSON.stringify(answer.body)).not.toContain(SECRET);
  return answer;
};

/** Replaces the entry by a link to a file or folder outside. */
function plant(path: string, target: string): void {
  rmSync(join(storageDir, path), { recursive: true, force: true });
  mkdirSync(join(storageDir, path, '..'), { recursive: true });
  symlinkSync(join(base, 'outside', target), join(storageDir, path));
}
const inTask = (path: string): string => `tasks/${given.task.id}/${path}`;

describe("in a task's folder", () => {
  test('a linked log is neither sent nor listed', async () => {
    plant(inTask('logs/linked.log'), 'secret.log');
    for (const query of ['', '?tail=10'])
      expect(await get(`${given.task.path}/logs/linked.log${query}`)).toMatchObject({
        status: 404,
        body: { code: 'file_is_link' },
      });
    const { body } = await get(`${given.task.path}/logs`);
    expect(body.results.map(({ name }: { name: string }) => name)).not.toContain('linked.log');
  });

  test('a linked result, and one behind a linked folder, is neither sent nor listed', async () => {
    plant(inTask('report/linked.html'), 'secret');
    plant(inTask('linked'), 'S1');
    for (const path of ['report/linked.html', 'linked/secret'])
      expect(await get(`${given.task.path}/output/file?path=${path}`)).toMatchObject({
        status: 404,
        body: { code: 'file_is_link' },
      });
    const { body } = await get(`${given.task.path}/output`);
    const paths: string[] = body.results.map(({ path }: { path: string }) => path);
    expect(paths.filter((path) => path.includes('linked'))).toEqual([]);
  });

  test('IGV is offered no linked reads', async () => {
    expect((await get(`${given.task.path}/igv?sample=S1`)).body.bam).not.toBeNull();
    plant(inTask('samples/S1/reads/reads.bam'), 'reads.bam');
    const { body } = await get(`${given.task.path}/igv?sample=S1`);
    expect(body.bam ?? null).toBeNull();
  });

  test('a linked result.json is not read', async () => {
    writeFileSync(join(base, 'outside', 'result.json'), JSON.stringify({ tools: [{ name: SECRET, version: '1' }] }));
    plant(inTask('qc/result.json'), 'result.json');
    expect((await get(`${given.task.path}/summary`)).status).toBe(200);
    expect((await get(`${given.task.path}/results`)).status).toBe(200);
    expect((await get(`${given.task.path}/output`)).status).toBe(200);
  });

  test('a table behind a link is not ingested, and the row is not completed', async () => {
    const { db, now } = given.api.deps;
    const { id } = given.task;
    plant(inTask('samples/S2/reads/metrics.json'), 'secret');
    const { fingerprint } = (await db('ingest').where({ task_id: id, part: 'reads:S2' }).first('fingerprint'))!;
    await db('ingest').where({ task_id: id, part: 'reads:S2' }).update({ fingerprint: 'another' });
    await expect(ingestTask({ db, storageDir, now }, id)).rejects.toMatchObject({ code: 'file_is_link' });
    expect(await db('ingest').where({ task_id: id, part: 'reads:S2' }).first('fingerprint')).toEqual({
      fingerprint: 'another',
    });
    await db('ingest').where({ task_id: id, part: 'reads:S2' }).update({ fingerprint });
  });
});

test('a linked reference is not sent', async () => {
  plant(`references/${GENOME}/genome.fa`, 'genome.fa');
  expect(await get(`${given.task.path}/reference/genome.fa`)).toMatchObject({ status: 404 });
});

describe("in a project's folder", () => {
  const folder = (): string => `projects/${given.task.lab.group}/${given.task.lab.project}`;
  const download = async (name: string) => {
    const { lab } = given.task;
    const file = await given.api.deps.db('project_file').where({ project_id: lab.project, name }).first('id');
    const { body } = await get(`/api/v1/pivat/${lab.group}/project-files/${file!.id}/generate-token`);
    return await get(body.url);
  };

  test('a listed file that was replaced by a link is not sent', async () => {
    expect((await download('S1_R1.fastq')).status).toBe(200);
    plant(`${folder()}/S1_R1.fastq`, 'secret');
    expect(await download('S1_R1.fastq')).toMatchObject({ status: 404, body: { code: 'file_is_link' } });
  });

  test('a listed file of another size is not sent', async () => {
    writeFileSync(join(storageDir, folder(), 'S1_R2.fastq'), 'other bytes than those that were uploaded');
    expect(await download('S1_R2.fastq')).toMatchObject({
      status: 409,
      body: { code: 'file_changed', message: expect.stringContaining('S1_R2.fastq') },
    });
  });

  test('a link is not listed as a file', async () => {
    const { lab } = given.task;
    plant(`${folder()}/linked.fastq`, 'secret');
    const path = `/api/v1/pivat/${lab.group}/projects/${lab.project}/filelist`;
    const { body } = await given.api.call('PUT', path, { token: lab.user.token });
    expect(body.results.map(({ name }: { name: string }) => name)).not.toContain('linked.fastq');
  });

  test('bytes of an upload are not written through a link', async () => {
    const { lab } = given.task;
    const target = { api: given.api, user: lab.user, group: lab.group, project: lab.project };
    const location = (await createUpload(target, 'new.fq', 10)).headers.get('location')!;
    plant(`${folder()}/.upload-${location.split('/').at(-1)}`, 'secret');
    expect((await sendBytes(target, location, 0, Buffer.from('0123456789'))).status).toBe(404);
    expect(readFileSync(join(base, 'outside', 'secret'), 'utf8')).toBe(SECRET);
  });

  test('deleting a project deletes its links, not their targets', async () => {
    const { lab } = given.task;
    const body = { name: 'short' };
    const { token } = lab.user;
    const project = (await given.api.call('POST', `/api/v1/pivat/${lab.group}/projects`, { token, body })).body.id;
    plant(`projects/${lab.group}/${project}/folder`, 'S1');
    const answer = await given.api.call('POST', `/api/v1/pivat/${lab.group}/projects/${project}/delete`, { token });
    expect(answer.status).toBeLessThan(300);
    expect(readFileSync(join(base, 'outside', 'S1', 'secret'), 'utf8')).toBe(SECRET);
    expect(() => statSync(join(storageDir, 'projects', lab.group, project))).toThrow('ENOENT');
  });
});

test("a panel file behind a link is not frozen into a task, even with the row's content", async () => {
  const { lab } = given.task;
  const { files } = (await given.api.deps.db('panel_type').where({ id: lab.panel }).first('files'))!;
  writeFileSync(join(base, 'outside', 'panel.json'), readFileSync(join(storageDir, files.panel.path)));
  plant(files.panel.path, 'panel.json');
  const answer = await launchTask(given.api, lab, lab.definition(['S2'], { name: 'linked' }));
  expect(answer).toMatchObject({ status: 409, body: { code: 'panel_file_unreadable' } });
});
