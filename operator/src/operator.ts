/** Wires caches, queues and reconcilers together. */

import { correlationOf } from '@seqpanel/crds/correlation.ts';
import type { AnalysisTask, Genome, Pipeline, WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import {
  ANALYSIS_TASKS,
  CONFIG_MAPS,
  GENOMES,
  keyOf,
  PANEL_TYPES,
  PIPELINES,
  type Stored,
} from '@seqpanel/crds/kube/objects.ts';
import { CONDITION } from '@seqpanel/crds/task-conditions.ts';
import type { Logger } from 'pino';
import { Admission } from './admission/admission.ts';
import type { Limits } from './admission/admission-plan.ts';
import { type Candidate, candidateOf } from './admission/candidate.ts';
import { isRecorded } from './analysistask/cleanup.ts';
import type { TaskSettings } from './analysistask/input.ts';
import { type NewFailures, newFailures } from './analysistask/new-failures.ts';
import { priorityOf, TASKS_AT_A_TIME } from './analysistask/priority.ts';
import { TaskReconciler } from './analysistask/reconciler.ts';
import { countStuck } from './analysistask/stuck-tasks.ts';
import { isFinished } from './analysistask/task-state.ts';
import { type Caches, createCaches, UNFINISHED } from './caches.ts';
import type { CheckSettings } from './check/check-kind.ts';
import { CheckReconciler } from './check/reconciler.ts';
import { genomeCheck } from './genome/genome.ts';
import type { JobFacts } from './jobs/facts.ts';
import { findCondition } from './kube/conditions.ts';
import { createEventRecorder } from './kube/events.ts';
import { loggedEvents } from './kube/logged-events.ts';
import { LiveSettings, SETTINGS_SELECTOR } from './live-settings.ts';
import type { Metrics } from './metrics.ts';
import { panelTypeCheck } from './paneltype/panel-type.ts';
import { PipelineReconciler } from './pipeline/reconciler.ts';
import { applyShipped } from './pipeline/shipped.ts';
import { createQueues } from './queues.ts';
import { ReactionTimes } from './reaction-times.ts';
import { createWatches } from './watches.ts';
import type { JobRecord } from './workers/facts.ts';
import { createWorkers } from './workers/workers.ts';

export interface OperatorOptions {
  client: KubeClient;
  tasks: TaskSettings;
  limits: Limits;
  checks: CheckSettings;
  /** Applied once per installation, by name. */
  shippedPipelines: ReadonlyMap<string, Pipeline>;
  /** Scale WorkerPools. */
  workers: boolean;
  log: Logger;
  metrics: Metrics;
  now: () => number;
}

export interface Operator {
  /**
   * Follows the API server immediately and reconciles once `lead` resolves (immediately without it), until the signal
   * fires. Resolves when work in progress has finished.
   */
  run(signal: AbortSignal, lead?: Promise<void>): Promise<void>;
  /** True when all caches are filled and follow the API server. */
  ready(): boolean;
}

const PHASES = ['Queued', 'Starting', 'Running', 'Completed', 'Aborted', 'Failed'] as const;

export function createOperator({ client, log, metrics, now, ...settings }: OperatorOptions): Operator {
  const watches = createWatches({ client, log, metrics });
  const queues = createQueues({ log, metrics });
  const { watch } = watches;
  const { queue } = queues;
  const reactions = new ReactionTimes();
  let working = false;
  const caches = createCaches({ watch, seesNodes: settings.workers || settings.tasks.markLostPods, now });

  const ending = new AbortController();
  const events = createEventRecorder({
    client,
    signal: ending.signal,
    now,
    onError: (err) => log.warn({ err }, 'writing an event failed'),
  });
  const live = new LiveSettings({ tasks: settings.tasks, limits: settings.limits, log, events });
  const admission = new Admission({
    candidates: () => candidatesOf(caches, now()),
    limits: live.limits,
    admittedCondition: (key) => findCondition(caches.tasks.get(key)?.status?.conditions, CONDITION.admitted),
  });
  watch(
    CONFIG_MAPS,
    (change) => {
      if (!live.follow(change)) return;
      admission.changed();
      caches.enqueueFinished();
    },
    { fieldSelector: SETTINGS_SELECTOR },
  );

  const workers = settings.workers
    ? createWorkers({ client, watch, queue, job: jobRecord(caches), events, now })
    : undefined;
  const pools = (): Stored<WorkerPool>[] => workers?.pools.list() ?? [];

  const taskReconciler = new TaskReconciler({
    client,
    caches: { ...caches, pools },
    events: loggedEvents(events, log),
    settings: live.tasks,
    admission,
    now,
    onJobCreated: (key) => {
      const seconds = reactions.end(key);
      if (seconds !== undefined) metrics.reactionSeconds.observe(seconds);
    },
    onWritten: (key, old, next) => {
      if (isFinished(next.phase)) reactions.forget(key);
      countFailures(metrics, newFailures(old, next));
    },
  });
  const taskQueue = queue(ANALYSIS_TASKS.kind, (key, signal) => taskReconciler.reconcile(key, signal), {
    ...TASKS_AT_A_TIME,
    fieldsOf: (key) => correlationOf(caches.tasks.get(key)?.metadata.annotations),
  });
  const genomeOf = (namespace: string | undefined, name: string): Genome | undefined =>
    caches.genomes.get(namespace ? `${namespace}/${name}` : name);
  const common = { client, jobs: caches.jobs, pods: caches.pods, pools, events, settings: settings.checks, now };
  const panelTypeReconciler = new CheckReconciler({
    ...common,
    kind: panelTypeCheck(({ metadata, spec }) => genomeOf(metadata.namespace, spec.genome)),
    objects: caches.panelTypes,
  });
  const panelTypeQueue = queue(PANEL_TYPES.kind, (key, signal) => panelTypeReconciler.reconcile(key, signal));
  const genomeReconciler = new CheckReconciler({ ...common, kind: genomeCheck, objects: caches.genomes });
  const genomeQueue = queue(GENOMES.kind, (key, signal) => genomeReconciler.reconcile(key, signal));
  const pipelineReconciler = new PipelineReconciler({
    client,
    pipelines: caches.pipelines,
    events,
    images: { registry: settings.tasks.job.imageRegistry, prefixes: settings.tasks.job.imagePrefixes },
    now,
  });
  const pipelineQueue = queue(PIPELINES.kind, (key, signal) => pipelineReconciler.reconcile(key, signal));
  const shippedQueue = queue('ShippedPipeline', async (name, signal) => {
    const shipped = settings.shippedPipelines.get(name);
    if (shipped && (await applyShipped(client, shipped, signal))) log.info({ name }, 'applied shipped Pipeline');
    return {};
  });
  for (const name of settings.shippedPipelines.keys()) shippedQueue.add(name);

  caches.connect({
    enqueueTask: (key, afterMs) => {
      const priority = priorityOf(caches.tasks.get(key));
      if (afterMs === undefined) taskQueue.add(key, priority);
      else taskQueue.addAfter(key, afterMs, priority);
    },
    enqueuePipeline: (key) => pipelineQueue.add(key),
    enqueueGenome: (key) => genomeQueue.add(key),
    enqueuePanelType: (key) => panelTypeQueue.add(key),
    onJobEnd: (task) => {
      if (working) reactions.begin(task);
    },
    onTaskEnd: (task) => reactions.forget(task),
    onAdmissionChange: () => admission.changed(),
    retentionMs: () => live.tasks().retentionMs,
  });
  metrics.measure({
    tasks: () => countByPhase(caches.tasks.list()),
    stuck: () => countStuck(caches.tasks.list()),
    oldestUnreported: () => reactions.oldest,
    depths: queues.depths,
    waiting: () => admission.waiting(),
  });

  return {
    ready: watches.healthy,
    run: async (signal, lead) => {
      const following = watches.run(signal);
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.race([watches.synced(), stopped]);
      if (!signal.aborted) log.info({ tasks: caches.tasks.size }, 'caches filled');
      await Promise.race([lead, stopped]);
      working = true;
      if (!signal.aborted) admission.run(signal, (key, priority) => taskQueue.add(key, priority));
      await Promise.all([following, queues.run(signal)]);
      await events.settled();
      ending.abort();
    },
  };
}

function candidatesOf({ tasks, jobs, pods, pipelines }: Caches, now: number): Candidate[] {
  return tasks.byIndex('unfinished', UNFINISHED).flatMap((task) => {
    const { uid, namespace } = task.metadata;
    const { name } = task.spec.pipeline;
    const facts = {
      key: keyOf(task),
      task,
      jobs: jobs.byIndex('owner', uid),
      podsOf: (job: JobFacts) => pods.byIndex('job', `${job.namespace}/${job.name}`),
      pipeline: pipelines.get(namespace ? `${namespace}/${name}` : name),
      now,
    };
    return candidateOf(facts) ?? [];
  });
}

/** Contains every phase, so that an alert reads 0 instead of a missing series. */
function countByPhase(all: readonly Stored<AnalysisTask>[]): Map<string, number> {
  const counts = new Map(PHASES.map((phase) => [phase as string, 0]));
  for (const { status } of all) {
    const phase = status?.phase ?? 'Queued';
    counts.set(phase, (counts.get(phase) ?? 0) + 1);
  }
  return counts;
}

function countFailures(metrics: Metrics, { steps, samples, refused }: NewFailures): void {
  for (const labels of steps) metrics.failedSteps.inc(labels);
  for (const labels of samples) metrics.failedSamples.inc(labels);
  if (refused) metrics.failedSteps.inc({ stage: '', step: '', code: refused });
}

/** Returns the record of a Job by namespace/name. Jobs of deleted tasks count as recorded. */
const jobRecord =
  ({ jobs, tasks }: Caches) =>
  (key: string): JobRecord | undefined => {
    const job = jobs.get(key);
    if (!job) return undefined;
    const task = job.task === '' ? undefined : tasks.get(`${job.namespace}/${job.task}`);
    const recorded = job.hasTtl || (job.task !== '' && (!task || isRecorded(job, task.status ?? {})));
    return { ...job, recorded };
  };
