/** The caches of cluster objects and the enqueues that each change causes. Change handlers only enqueue. */

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
import { isFinished } from './analysistask/task-state.ts';
import { trimForCache } from './analysistask/trim-for-cache.ts';
import type { CheckedGenome } from './genome/genome.ts';
import { isNotReady, type JobFacts, jobFacts, type PodFacts, podFacts } from './jobs/facts.ts';
import type { CheckedPanelType } from './paneltype/panel-type.ts';
import type { Watches } from './watches.ts';

/** Label of every object that the operator creates. */
const OURS = 'app.kubernetes.io/managed-by=seqpanel';
/** The only value of the index of unfinished tasks. */
export const UNFINISHED = 'all';
/** Pods change often and report only progress or waiting, so several changes are handled together. */
const POD_CHANGES_MS = 200;

/** Reactions to changes. Keys are namespace/name. */
export interface CacheHandlers {
  /** `afterMs` delays the task's reconcile. */
  enqueueTask(key: string, afterMs?: number): void;
  enqueuePipeline(key: string): void;
  enqueueGenome(key: string): void;
  enqueuePanelType(key: string): void;
  /** Called when a Job of the task ends. */
  onJobEnd(task: string): void;
  /** Called when the task is deleted or finishes. */
  onTaskEnd(task: string): void;
  /** Called when something changes that admission depends on. */
  onAdmissionChange(): void;
  /** Returns the milliseconds until a finished task is deleted; 0 keeps it. */
  retentionMs(): number;
}

export interface CacheOptions {
  watch: Watches['watch'];
  /** False without workers: nodes are cluster-scoped, so a namespaced operator may not list them. */
  seesNodes: boolean;
  now(): number;
}

export interface Caches {
  /** The index `unfinished` holds all unfinished tasks under one value. */
  tasks: Store<Stored<AnalysisTask>>;
  pipelines: Store<Stored<Pipeline>>;
  genomes: Store<Stored<CheckedGenome>>;
  panelTypes: Store<Stored<CheckedPanelType>>;
  /** Index `owner`: uid of the owner. */
  jobs: Store<JobFacts>;
  /** Indexes `task` and `job`: namespace/name of the task and of the Job. */
  pods: Store<PodFacts>;
  /** Names of nodes that are not ready. */
  notReadyNodes(): Set<string>;
  /** Enqueues each finished task that has work due. */
  enqueueFinished(): void;
  /** Sets the reactions to changes. Call it once, before the watches run. */
  connect(handlers: CacheHandlers): void;
}

export function createCaches({ watch, seesNodes, now }: CacheOptions): Caches {
  let on: CacheHandlers;
  const tasks = watch<AnalysisTask>(ANALYSIS_TASKS, onTask, {
    keep: trimForCache,
    indexes: { unfinished: ({ status }) => (isFinished(status?.phase) ? [] : [UNFINISHED]) },
  }).store;
  const pipelines = watch<Pipeline>(PIPELINES, ({ type, key }) => {
    on.enqueuePipeline(key);
    if (type !== 'synced') for (const task of unfinished()) on.enqueueTask(task);
  }).store;
  const genomes = watch<CheckedGenome>(GENOMES as Resource<CheckedGenome>, ({ type, key }) => {
    on.enqueueGenome(key);
    if (type === 'synced') return;
    for (const other of genomes.keys()) on.enqueueGenome(other);
    for (const panelType of panelTypes.keys()) on.enqueuePanelType(panelType);
  }).store;
  const panelTypes = watch<CheckedPanelType>(
    PANEL_TYPES as Resource<CheckedPanelType>,
    ({ type, key, object, previous }) => {
      on.enqueuePanelType(key);
      const renamed = previous?.spec.displayName !== object.spec.displayName;
      if (type === 'deleted' || type === 'added' || renamed)
        for (const other of panelTypes.keys()) on.enqueuePanelType(other);
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
            for (const task of unfinished()) on.enqueueTask(task, POD_CHANGES_MS);
        },
        { keep: (node) => (isNotReady(node) ? node.metadata.name : '') },
      ).store
    : undefined;

  function unfinished(): string[] {
    return tasks.byIndex('unfinished', UNFINISHED).map(keyOf);
  }

  function onTask({ key, object, type }: Change<Stored<AnalysisTask>>): void {
    const finished = isFinished(object.status?.phase);
    if (type === 'deleted' || finished) on.onTaskEnd(key);
    if (!finished || type === 'modified' || type === 'deleted') on.onAdmissionChange();
    if (finished && type !== 'deleted') enqueueWhenDue(key, object);
    else on.enqueueTask(key);
  }

  /** Enqueues a finished task only when it has work due, because thousands of them may be kept. */
  function enqueueWhenDue(key: string, task: Stored<AnalysisTask>): void {
    const { status = {}, metadata } = task;
    const left = timeLeft(task, status, { retentionMs: on.retentionMs() }, now());
    if (lacksIngested(task) || jobs.byIndex('owner', metadata.uid).length > 0) on.enqueueTask(key);
    else if (left !== undefined) on.enqueueTask(key, Math.max(0, left));
  }

  function enqueueFinished(): void {
    for (const task of tasks.list()) if (isFinished(task.status?.phase)) enqueueWhenDue(keyOf(task), task);
  }

  function onJob({ type, object, previous }: Change<JobFacts>): void {
    if (object.owner?.kind === ANALYSIS_TASKS.kind) {
      const key = `${object.namespace}/${object.owner.name}`;
      if (type === 'modified' && object.end && !previous?.end) on.onJobEnd(key);
      on.onAdmissionChange();
      on.enqueueTask(key);
    } else enqueueOwner(object);
  }

  function onPod({ object }: Change<PodFacts>): void {
    if (object.task) {
      on.onAdmissionChange();
      on.enqueueTask(`${object.namespace}/${object.task}`, POD_CHANGES_MS);
      return;
    }
    const job = jobs.get(`${object.namespace}/${object.job}`);
    if (job) enqueueOwner(job);
  }

  function enqueueOwner({ owner, namespace }: JobFacts): void {
    const key = `${namespace}/${owner?.name}`;
    if (owner?.kind === GENOMES.kind) on.enqueueGenome(key);
    if (owner?.kind === PANEL_TYPES.kind) on.enqueuePanelType(key);
  }

  return {
    tasks,
    pipelines,
    genomes,
    panelTypes,
    jobs,
    pods,
    notReadyNodes: () => new Set(nodes?.list().filter(Boolean)),
    enqueueFinished,
    connect: (handlers) => {
      on = handlers;
    },
  };
}
