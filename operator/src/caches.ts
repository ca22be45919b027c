/** What the operator holds of the cluster, and which change looks at what again. Change handlers only enqueue. */

import type { AnalysisTask, Pipeline } from '@seqpanel/crds/kinds.ts';
import type { KubeNode } from '@seqpanel/crds/kube/core-types.ts';
import {
  ANALYSIS_TASKS,
  GENOMES,
  JOBS,
  keyOf,
  NODES,
  PANEL_TYPES,
  PIPELINES,
  PODS,
  type Resource,
  type Stored,
} from '@seqpanel/crds/kube/objects.ts';
import type { Change } from '@seqpanel/crds/kube/reflector.ts';
import type { Store } from '@seqpanel/crds/kube/store.ts';
import { lacksIngested, timeLeft } from './analysistask/finish.ts';
import { trimTask } from './analysistask/keep.ts';
import { isFinished } from './analysistask/plan.ts';
import type { CheckedGenome } from './genome/genome.ts';
import { isNotReady, type JobFacts, jobFacts, type PodFacts, podFacts } from './jobs/facts.ts';
import type { CheckedPanelType } from './paneltype/panel-type.ts';
import type { Watches } from './watches.ts';

/** Everything that the operator makes carries it. */
const OURS = 'app.kubernetes.io/managed-by=seqpanel';
/** Value of the index of unfinished tasks. */
export const UNFINISHED = 'all';
/** Pods change often and mean only progress or waiting: several changes are looked at together. */
const POD_CHANGES_MS = 200;

/** Enqueues the object of a key, by namespace/name; a task at once or in some milliseconds. */
export interface LookAgain {
  task(key: string, afterMs?: number): void;
  pipeline(key: string): void;
  genome(key: string): void;
  panelType(key: string): void;
}

export interface CacheOptions {
  watch: Watches['watch'];
  look: LookAgain;
  /** Without workers the operator may not see nodes, which no namespace holds. */
  seesNodes: boolean;
  /** A Job of the task has ended. */
  onJobEnd(task: string): void;
  /** The task is gone or has come to its end. */
  onTaskEnd(task: string): void;
  /** Something has changed that admission depends on. */
  onAdmissionChange(): void;
  /** A finished task is deleted after this many ms; 0: never. */
  retentionMs(): number;
  now(): number;
}

export interface Caches {
  /** Those that are not finished are in the index `unfinished`, all under one value. */
  tasks: Store<Stored<AnalysisTask>>;
  pipelines: Store<Stored<Pipeline>>;
  genomes: Store<Stored<CheckedGenome>>;
  panelTypes: Store<Stored<CheckedPanelType>>;
  /** By the uid of the owner too. */
  jobs: Store<JobFacts>;
  /** By task and by Job too. */
  pods: Store<PodFacts>;
  /** Names of nodes that are not ready. */
  notReadyNodes(): Set<string>;
  /** Enqueues finished tasks when they are due. */
  lookAtFinished(): void;
}

export function createCaches({ watch, look, seesNodes, onJobEnd, onTaskEnd, ...options }: CacheOptions): Caches {
  const tasks = watch<AnalysisTask>(ANALYSIS_TASKS, onTask, {
    keep: trimTask,
    indexes: { unfinished: ({ status }) => (isFinished(status?.phase) ? [] : [UNFINISHED]) },
  }).store;
  const pipelines = watch<Pipeline>(PIPELINES, ({ type, key }) => {
    look.pipeline(key);
    if (type !== 'synced') for (const task of unfinished()) look.task(task);
  }).store;
  const genomes = watch<CheckedGenome>(GENOMES as Resource<CheckedGenome>, ({ type, key }) => {
    look.genome(key);
    if (type === 'synced') return;
    for (const other of genomes.keys()) look.genome(other);
    for (const panelType of panelTypes.keys()) look.panelType(panelType);
  }).store;
  const panelTypes = watch<CheckedPanelType>(
    PANEL_TYPES as Resource<CheckedPanelType>,
    ({ type, key, object, previous }) => {
      look.panelType(key);
      const renamed = previous?.spec.displayName !== object.spec.displayName;
      if (type === 'deleted' || type === 'added' || renamed)
        for (const other of panelTypes.keys()) look.panelType(other);
    },
  ).store;
  const jobs = watch(JOBS, onJob, {
    labelSelector: OURS,
    keep: jobFacts,
    indexes: { owner: ({ owner }) => (owner ? [owner.uid] : []) },
  }).store;
  const pods = watch(PODS, onPod, {
    labelSelector: OURS,
    keep: podFacts,
    indexes: {
      task: ({ namespace, task }) => (task ? [`${namespace}/${task}`] : []),
      job: ({ namespace, job }) => [`${namespace}/${job}`],
    },
  }).store;
  const nodes = seesNodes
    ? watch<KubeNode, string>(
        NODES,
        ({ type, object, previous }) => {
          if (type === 'modified' && object !== previous)
            for (const task of unfinished()) look.task(task, POD_CHANGES_MS);
        },
        { keep: (node) => (isNotReady(node) ? node.metadata.name : '') },
      ).store
    : undefined;

  function unfinished(): string[] {
    return tasks.byIndex('unfinished', UNFINISHED).map(keyOf);
  }

  function onTask({ key, object, type }: Change<Stored<AnalysisTask>>): void {
    const finished = isFinished(object.status?.phase);
    if (type === 'deleted' || finished) onTaskEnd(key);
    if (!finished || type === 'modified' || type === 'deleted') options.onAdmissionChange();
    if (finished && type !== 'deleted') lookWhenDue(key, object);
    else look.task(key);
  }

  /** A finished task is looked at only when there is something to do: thousands of them may be kept. */
  function lookWhenDue(key: string, task: Stored<AnalysisTask>): void {
    const { status = {}, metadata } = task;
    const left = timeLeft(task, status, { retentionMs: options.retentionMs() }, options.now());
    if (lacksIngested(task) || jobs.byIndex('owner', metadata.uid).length > 0) look.task(key);
    else if (left !== undefined) look.task(key, Math.max(0, left));
  }

  function lookAtFinished(): void {
    for (const task of tasks.list()) if (isFinished(task.status?.phase)) lookWhenDue(keyOf(task), task);
  }

  function onJob({ type, object, previous }: Change<JobFacts>): void {
    if (object.owner?.kind === ANALYSIS_TASKS.kind) {
      const key = `${object.namespace}/${object.owner.name}`;
      if (type === 'modified' && object.end && !previous?.end) onJobEnd(key);
      options.onAdmissionChange();
      look.task(key);
    } else lookAtOwner(object);
  }

  function onPod({ object }: Change<PodFacts>): void {
    if (object.task) {
      options.onAdmissionChange();
      look.task(`${object.namespace}/${object.task}`, POD_CHANGES_MS);
      return;
    }
    const job = jobs.get(`${object.namespace}/${object.job}`);
    if (job) lookAtOwner(job);
  }

  function lookAtOwner({ owner, namespace }: JobFacts): void {
    const key = `${namespace}/${owner?.name}`;
    if (owner?.kind === GENOMES.kind) look.genome(key);
    if (owner?.kind === PANEL_TYPES.kind) look.panelType(key);
  }

  return {
    tasks,
    pipelines,
    genomes,
    panelTypes,
    jobs,
    pods,
    notReadyNodes: () => new Set(nodes?.list().filter(Boolean)),
    lookAtFinished,
  };
}
