/** Carries one intent to the cluster; throws what the cluster answered. Every intent may be repeated. */

import { isDeepStrictEqual } from 'node:util';
import { type AnalysisTask, API_VERSION, LAUNCH_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { isAlreadyExists } from '@seqpanel/crds/kube/errors.ts';
import {
  ANALYSIS_TASKS,
  GENOMES,
  type KubeObject,
  PANEL_TYPES,
  PIPELINES,
  type Resource,
} from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import { type FrozenIndex, makeCheckedFolders, makeMountedFolders, writeFrozen } from './frozen-files.ts';
import type { Intent, OwnKind } from './intent.ts';
import { ForeignObject } from './verdict.ts';

export type KubeWriter = Pick<KubeClient, 'create' | 'get' | 'update' | 'patch' | 'delete'>;

const RESOURCES: Record<OwnKind, Resource<KubeObject>> = {
  AnalysisTask: ANALYSIS_TASKS as Resource<KubeObject>,
  PanelType: PANEL_TYPES as Resource<KubeObject>,
  Genome: GENOMES as Resource<KubeObject>,
  Pipeline: PIPELINES as Resource<KubeObject>,
};

export interface Carrier {
  db: Knex;
  kube: KubeWriter;
  storageDir: string;
}

export async function carryOut({ db, kube, storageDir }: Carrier, intent: Intent, signal: AbortSignal): Promise<void> {
  switch (intent.type) {
    case 'launch': {
      const task = await db('task').where({ id: intent.task }).first('id', 'spec', 'frozen', 'launch_hash');
      if (!task) return;
      await makeMountedFolders(storageDir, task.spec as AnalysisTask['spec']);
      await writeFrozen(db, storageDir, task.id, task.frozen as FrozenIndex);
      return await createTask(kube, task, signal);
    }
    case 'apply':
      await makeCheckedFolders(storageDir, intent.object as KubeObject & { spec: unknown });
      return await apply(kube, RESOURCES[intent.kind], intent.object as KubeObject & { spec: unknown }, signal);
    case 'patch':
      await kube.patch(RESOURCES[intent.kind], intent.name, intent.patch, { signal });
      return;
    case 'delete':
      await kube.delete(RESOURCES[intent.kind], intent.name, { signal, propagation: 'Background' });
  }
}

async function createTask(
  kube: KubeWriter,
  task: { id: string; spec: AnalysisTask['spec']; launch_hash: string },
  signal: AbortSignal,
): Promise<void> {
  const object: AnalysisTask = {
    apiVersion: API_VERSION as AnalysisTask['apiVersion'],
    kind: 'AnalysisTask',
    metadata: { name: task.id, annotations: { [LAUNCH_ANNOTATION]: task.launch_hash } },
    spec: task.spec,
  };
  try {
    await kube.create(ANALYSIS_TASKS, object, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await kube.get(ANALYSIS_TASKS, task.id, { signal });
    if (found.metadata.annotations?.[LAUNCH_ANNOTATION] !== task.launch_hash) {
      throw new ForeignObject(`AnalysisTask ${task.id}`);
    }
  }
}

/** Creates it, or replaces the spec of the one that is there, if it differs. */
async function apply(
  kube: KubeWriter,
  resource: Resource<KubeObject>,
  object: KubeObject & { spec: unknown },
  signal: AbortSignal,
): Promise<void> {
  try {
    await kube.create(resource, object, { signal });
    return;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const found = (await kube.get(resource, object.metadata?.name ?? '', { signal })) as KubeObject & { spec: unknown };
  const annotations = { ...found.metadata?.annotations, ...object.metadata?.annotations };
  const labels = { ...found.metadata?.labels, ...object.metadata?.labels };
  const wanted = { ...found, metadata: { ...found.metadata, annotations, labels }, spec: object.spec };
  if (isDeepStrictEqual(plain(found), plain(wanted))) return;
  await kube.update(resource, wanted, { signal });
}

const plain = (object: KubeObject & { spec: unknown }): unknown =>
  JSON.parse(
    JSON.stringify({
      spec: object.spec,
      annotations: object.metadata?.annotations ?? {},
      labels: object.metadata?.labels ?? {},
    }),
  );
