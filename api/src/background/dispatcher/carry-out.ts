/** Applies one intent to the cluster and throws the cluster's error. Every intent may be repeated. */

import { isDeepStrictEqual } from 'node:util';
import { type Correlation, correlationAnnotations } from '@seqpanel/crds/correlation.ts';
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
  type Stored,
} from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import { readOwned } from '../../configuration/owned-rows.ts';
import type { TaskTable } from '../../db/tables/tasks.ts';
import type { Intent, OwnKind } from '../../outbox/intent.ts';
import { makeCheckedFolders, makeMountedFolders, writeFrozen } from '../../storage/frozen-files.ts';
import { ChangedElsewhere, ForeignObject } from './intent-outcome.ts';

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

/** Returns the configuration object as the cluster has it now, or undefined for tasks and deleted objects. */
export async function carryOut(
  { db, kube, storageDir }: Carrier,
  intent: Intent,
  signal: AbortSignal,
): Promise<Stored<KubeObject> | undefined> {
  switch (intent.type) {
    case 'launch': {
      const task = await db('task').where({ id: intent.task }).first('id', 'spec', 'frozen', 'launch_hash');
      if (!task) return undefined;
      await makeMountedFolders(storageDir, task.spec);
      await writeFrozen(db, storageDir, task.id, task.frozen);
      // Storage may have taken longer than the intent's time limit.
      signal.throwIfAborted();
      await createTask(kube, task, intent.correlation ?? {}, signal);
      return undefined;
    }
    case 'apply':
      await makeCheckedFolders(storageDir, intent.object as KubeObject & { spec: unknown });
      signal.throwIfAborted();
      return await apply(db, kube, intent.kind, intent.object as KubeObject & { spec: unknown }, signal);
    case 'patch': {
      const patched = await kube.patch(RESOURCES[intent.kind], intent.name, intent.patch, { signal });
      return intent.kind === 'AnalysisTask' ? undefined : patched;
    }
    case 'delete':
      await kube.delete(RESOURCES[intent.kind], intent.name, { signal, propagation: 'Background' });
      return undefined;
  }
}

async function createTask(
  kube: KubeWriter,
  task: Pick<TaskTable, 'id' | 'spec' | 'launch_hash'>,
  correlation: Correlation,
  signal: AbortSignal,
): Promise<void> {
  const annotations = { [LAUNCH_ANNOTATION]: task.launch_hash!, ...correlationAnnotations(correlation) };
  const object: AnalysisTask = {
    apiVersion: API_VERSION as AnalysisTask['apiVersion'],
    kind: 'AnalysisTask',
    metadata: { name: task.id, annotations },
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

/**
 * Creates the object, or replaces the spec of the existing one if it differs. Throws ChangedElsewhere when the existing
 * object is not the state that the row was made from, because the last writer at the API server owns it.
 */
async function apply(
  db: Knex,
  kube: KubeWriter,
  kind: OwnKind,
  object: KubeObject & { spec: unknown },
  signal: AbortSignal,
): Promise<Stored<KubeObject>> {
  const resource = RESOURCES[kind];
  const name = object.metadata?.name ?? '';
  try {
    return await kube.create(resource, object, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const found = (await kube.get(resource, name, { signal })) as Stored<KubeObject & { spec: unknown }>;
  const annotations = { ...found.metadata.annotations, ...object.metadata?.annotations };
  const labels = { ...found.metadata.labels, ...object.metadata?.labels };
  const wanted = { ...found, metadata: { ...found.metadata, annotations, labels }, spec: object.spec };
  if (isDeepStrictEqual(plain(found), plain(wanted))) return found;
  const row = await readOwned(db, kind, name);
  if (row && (row.uid !== found.metadata.uid || row.generation !== (found.metadata.generation ?? 0)))
    throw new ChangedElsewhere(`${kind} ${name}`, found);
  // Sends the resourceVersion that was read: a change in between is a Conflict, and the intent is retried.
  return await kube.update(resource, wanted, { signal });
}

const plain = (object: KubeObject & { spec: unknown }): unknown =>
  JSON.parse(
    JSON.stringify({
      spec: object.spec,
      annotations: object.metadata?.annotations ?? {},
      labels: object.metadata?.labels ?? {},
    }),
  );
