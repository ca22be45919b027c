/** A laboratory in the database and on storage: group, user, project with files, genome, panel type, pipeline. */

import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { defaultPreset } from '@seqpanel/crds/preset-default.ts';
import { installedAnnotation, installedGenome, projectDir } from '@seqpanel/crds/storage.ts';
import type { TestApi, TestUser } from './api.ts';
import { launchTask } from './launch-calls.ts';
import { GENOME } from './task-outputs.ts';

export interface Laboratory {
  user: TestUser;
  group: string;
  project: string;
  panel: string;
  /** Adds a file to the project, on storage and in its row. */
  addFile(name: string, content?: string): Promise<string>;
  /** Adds a saved preset of the panel. */
  addPreset(name: string): Promise<string>;
  /** Returns a body of launch-task with these samples and their R1 and R2. */
  definition(samples: readonly string[], more?: Record<string, unknown>): Record<string, unknown>;
  /** Launches a task with that definition and returns its id. */
  launch(samples: readonly string[], more?: Record<string, unknown>): Promise<string>;
}

export const PANEL: PanelFile = {
  schema_version: 1,
  value: 'toy_panel',
  displayName: 'Toy panel',
  version: '1',
  synthetic: true,
  genome: { value: GENOME, contigs: [{ name: '17', length: 1000 }] },
  chemistry: 'amplicon',
  analysisTypes: ['germline'],
  bamAllowed: false,
  amplicons: [
    { name: 'A1', chrom: '17', start: 100, end: 300, insert: { start: 120, end: 280 }, gene: 'TP53', pool: '1' },
    { name: 'A2', chrom: '17', start: 400, end: 600, insert: { start: 420, end: 580 }, gene: 'TP53', pool: '2' },
  ],
  parameters: [],
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Creates a laboratory. It has files for the samples S1 and S2. */
export async function aLaboratory(api: TestApi): Promise<Laboratory> {
  const { db } = api.deps;
  const now = new Date();
  const group = await api.addGroup();
  const user = await api.addUser({ groups: { [group]: 'member' } });
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(api.storageDir, path)), { recursive: true });
    writeFileSync(join(api.storageDir, path), content);
  };
  write(
    installedGenome(GENOME),
    JSON.stringify({
      schema_version: 1,
      value: GENOME,
      displayName: 'Toy',
      dir: `references/${GENOME}`,
      contigs: [{ name: '17', length: 1000 }],
      indexes: [],
      source: {},
    }),
  );
  write(installedAnnotation(GENOME), JSON.stringify({ schema_version: 1, sources: [] }));
  await db('genome').insert({
    id: randomUUID(),
    value: GENOME,
    display_name: 'Toy',
    source: '{}',
    created: now,
    modified: now,
  });
  const text = JSON.stringify(PANEL);
  write('panels/toy_panel/toy_panel.json', text);
  const panel = randomUUID();
  const conditions = ['Valid', 'Ready'].map((type) => ({ type, status: 'True', reason: 'Checked', message: '' }));
  await db('panel_type').insert({
    id: panel,
    value: PANEL.value,
    display_name: PANEL.displayName,
    genome: GENOME,
    files: JSON.stringify({
      panel: {
        name: 'toy_panel.json',
        path: 'panels/toy_panel/toy_panel.json',
        sha256: sha256(text),
        size: text.length,
      },
      control: null,
      control_data: null,
      parameters: [],
    }),
    panel: text,
    status: JSON.stringify({ conditions }),
    created: now,
    modified: now,
  });
  await db('pipeline').insert({
    id: randomUUID(),
    name: 'panel-1.0.0',
    display_name: 'Targeted panel',
    version: '1.0.0',
    status: 'active',
    is_default: true,
    spec: '{}',
    created: now,
  });
  const project = randomUUID();
  await db('project').insert({ id: project, group_id: group, name: 'p1', owner_id: user.id, created: now });
  const addFile = async (name: string, content = `@r\nA\n+\nI\n${name}`): Promise<string> => {
    const id = randomUUID();
    write(`${projectDir(group, project)}/${name}`, content);
    const type = name.endsWith('.bam') ? 'bam' : name.endsWith('.bai') ? 'bai' : 'fastq';
    await db('project_file').insert({
      id,
      project_id: project,
      name,
      type,
      size: content.length,
      sha256: sha256(content),
      owner_id: user.id,
      created: now,
    });
    return id;
  };
  for (const sample of ['S1', 'S2']) for (const read of ['R1', 'R2']) await addFile(`${sample}_${read}.fastq`);
  const definition: Laboratory['definition'] = (samples, more = {}) => ({
    name: 'run-1',
    project,
    panel,
    samples: samples.map((name) => ({
      name,
      library_id: name,
      files: [{ name: `${name}_R1.fastq` }, { name: `${name}_R2.fastq` }],
    })),
    ...more,
  });
  return {
    user,
    group,
    project,
    panel,
    addFile,
    addPreset: async (name) => {
      const id = randomUUID();
      const content = JSON.stringify({ ...defaultPreset(PANEL, '1.0.0'), name });
      await db('preset').insert({
        id,
        group_id: group,
        panel_type_id: panel,
        name,
        pipeline_version: '1.0.0',
        content,
        owner_id: user.id,
        created: now,
        modified: now,
      });
      return id;
    },
    definition,
    launch: async (samples, more) => {
      const { body } = await launchTask(api, { group, user }, definition(samples, more));
      return body.tasks[0].id;
    },
  };
}
