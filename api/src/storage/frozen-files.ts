/** Writes a task's frozen files to storage: each is written aside, synced and renamed. frozen.json comes last. */

import { createHash } from 'node:crypto';
import type { Genome, PanelType } from '@seqpanel/crds/kinds.ts';
import { GENOMES, PANEL_TYPES } from '@seqpanel/crds/kube/objects.ts';
import type { StoredSampleFile } from '@seqpanel/crds/sample.ts';
import type { FrozenManifest } from '@seqpanel/crds/step-contract.ts';
import {
  cacheRoot,
  FROZEN_MANIFEST,
  genomeFolders,
  keptRoot,
  panelFolders,
  projectDir,
  taskDir,
} from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { makeFolder, writeWhole } from './change-storage.ts';
import { placeIn } from './inside-storage.ts';

export interface FrozenFile {
  name: string;
  content: Buffer;
}

/** A file of a sample with the id of its row in project_file. */
export interface FrozenSampleFile extends StoredSampleFile {
  id: string;
}

/** Hash and size by name, as stored in the task's row. Includes frozen.json. */
export type FrozenIndex = Record<string, { sha256: string; size: number }>;

export const sha256Of = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

/** Adds frozen.json, the manifest of the other files. Its SHA-256 is spec.frozen. */
export function withManifest(files: readonly FrozenFile[]): FrozenFile[] {
  const manifest: FrozenManifest = {
    schema_version: 1,
    files: files.map(({ name, content }) => ({ name, sha256: sha256Of(content), size: content.length })),
  };
  return [...files, { name: FROZEN_MANIFEST, content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) }];
}

/** Stores each content once and returns the index. */
export async function keepFrozen(trx: Knex.Transaction, files: readonly FrozenFile[]): Promise<FrozenIndex> {
  const index: FrozenIndex = {};
  for (const { name, content } of files) {
    const sha256 = sha256Of(content);
    index[name] = { sha256, size: content.length };
    await trx('frozen_file').insert({ sha256, content }).onConflict('sha256').ignore();
  }
  return index;
}

/** Reads one frozen file of a task. Returns undefined when the task has no file of that name. */
export async function readFrozen(db: Knex, index: FrozenIndex, name: string): Promise<Buffer | undefined> {
  const entry = index[name];
  if (!entry) return undefined;
  const row = await db('frozen_file').where({ sha256: entry.sha256 }).first('content');
  return row?.content;
}

/** Reads one frozen JSON file of a task. Returns an empty object when the task has none of that name. */
export async function readFrozenJson<T>(db: Knex, index: FrozenIndex, name: string): Promise<Partial<T>> {
  return JSON.parse((await readFrozen(db, index, name))?.toString() ?? '{}') as Partial<T>;
}

/** Repeatable: an existing file is replaced by the same bytes. */
export async function writeFrozen(db: Knex, storageDir: string, taskId: string, index: FrozenIndex): Promise<void> {
  const folder = placeIn(storageDir, taskDir(taskId));
  await makeFolder(folder);
  const names = Object.keys(index).sort((a, b) => Number(a === FROZEN_MANIFEST) - Number(b === FROZEN_MANIFEST));
  for (const name of names) {
    const content = await readFrozen(db, index, name);
    if (!content) throw new Error(`frozen file ${name} of task ${taskId} is not in the database`);
    await writeWhole(folder.child(name), content);
  }
}

/**
 * Creates the folders that a task's pods mount. A kubelet would create a missing one as root, which a file server may
 * refuse and which has the wrong owner.
 */
export async function makeMountedFolders(storageDir: string, task: { group: string; project: string }): Promise<void> {
  const { group, project } = task;
  for (const folder of ['annotation', cacheRoot(group), keptRoot(group), projectDir(group, project)])
    await makeFolder(placeIn(storageDir, folder));
}

/** Does the same for pods that check a panel type or install a genome. */
export async function makeCheckedFolders(
  storageDir: string,
  { kind, spec }: { kind?: string; spec: unknown },
): Promise<void> {
  const folders =
    kind === GENOMES.kind
      ? genomeFolders(spec as Genome['spec'])
      : kind === PANEL_TYPES.kind
        ? ['references', ...panelFolders(spec as PanelType['spec'])]
        : [];
  for (const folder of folders) await makeFolder(placeIn(storageDir, folder));
}
