/** Wires caches, queues and reconcilers together. Change handlers only enqueue; what is done is decided from the caches. */

import type { AnalysisTask, Genome, Pipeline, WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { KubeNode } from '@seqpanel/crds/kube/core-types.ts';
import { isConflict } from '@seqpanel/crds/kube/errors.ts';
import {
  ANALYSIS_TASKS,
  GENOMES,
  JOBS,
  type KubeObject,
  NODES,
  PANEL_TYPES,
  PIPELINES,
  PODS,
  type Resource,
  type Stored,
} from '@seqpanel/crds/kube/objects.ts';
import { type Change, Reflector } from '@seqpanel/crds/kube/reflector.ts';
import type { Logger } from 'pino';
import type { TaskSettings } from './analysistask/input.ts';
import { keepTask } from './analysistask/keep.ts';
import { type NewFailures, newFailures } from './analysistask/new-failures.ts';
import { isFinished } from './analysistask/plan.ts';
import { TaskReconciler } from './analysistask/reconciler.ts';
import { TASKS_AT_A_TIME, turnOf } from './analysistask/turn.ts';
import type { CheckSettings } from './check/check-kind.ts';
import { CheckReconciler } from './check/reconciler.ts';
import { type CheckedGenome, genomeCheck } from './genome/genome.ts';
import { isNotReady, type JobFacts, jobFacts, type PodFacts, podFacts } from './jobs/facts.ts';
import { createEventRecorder } from './kube/events.ts';
import { NotLeader } from './kube/fenced-client.ts';
import { WorkQueue, type WorkQueueOptions, type WorkResult } from './kube/queue.ts';
import type { Metrics } from './metrics.ts';
import { type CheckedPanelType, panelTypeCheck } from './paneltype/panel-type.ts';
import { PipelineReconciler } from './pipeline/reconciler.ts';
import { applyShipped } from './pipeline/shipped.ts';
import { createWorkers } from './workers/workers.ts';

export interface OperatorOptions {
  client: KubeClient;
  tasks: TaskSettings;
  checks: CheckSettings;
  imagePrefixes: string[];
  /** Applied once on an installation, by name. */
  shippedPipelines: ReadonlyMap<string, Pipeline>;
  /** WorkerPools are scaled. */
  workers: boolean;
  log: Logger;
  metrics: Metrics;
  now: () => number;
}

type Places = Pick<WorkQueueOptions, 'concurrency' | 'laterConcurrency'>;

export interface Operator {
  /**
   * Follows the API server at once and works from when `lead` resolves (at once without it) until the signal fires;
   * resolves when the work under way has ended.
   */
  run(signal: AbortSignal, lead?: Promise<void>): Promise<void>;
  /** True when all caches are filled and follow the API server. */
  ready(): boolean;
}

const PHASES = ['Queued', 'Starting', 'Running', 'Completed', 'Aborted', 'Failed'] as const;
/** Everything that the operator makes carries it. */
const OURS = 'app.kubernetes.io/managed-by=seqpanel';
/** Pods change often and mean only progress or waiting: several changes are looked at together. */
const POD_CHANGES_MS = 200;

export function createOperator({ client, log, metrics, now, ...settings }: OperatorOptions): Operator {
  const work: WorkQueue[] = [];
  const depths = new Map<string, () => number>();
  const reflectors: Reflector<KubeObject, unknown>[] = [];
  /** When the watch told of the end of a task's Job, until the next one is made. */
  const endTime = new Map<string, number>();
  let working = false;

  function watch<T extends KubeObject, S = Stored<T>>(
    resource: Resource<T>,
    onChange: (change: Change<S>) => void,
    options: {
      labelSelector?: string;
      keep?: (object: Stored<T>) => S;
      indexes?: Record<string, (o: S) => string[]>;
    } = {},
  ): Reflector<T, S> {
    const reflector = new Reflector<T, S>({
      client,
      resource,
      onChange,
      onError: (err, waitMs) => {
        metrics.watchErrors.inc({ resource: resource.plural });
        log.warn({ err, waitMs }, `Watching ${resource.plural} failed; it is repeated`);
      },
      ...options,
    });
    reflectors.push(reflector as unknown as Reflector<KubeObject, unknown>);
    return reflector;
  }

  function queue(
    kind: string,
    reconcile: (key: string, signal: AbortSignal) => Promise<WorkResult>,
    places: Places = { concurrency: 2 },
  ) {
    const made = new WorkQueue({
      ...places,
      work: async (key, signal) => {
        const stop = metrics.reconcileSeconds.startTimer({ kind });
        try {
          return await reconcile(key, signal);
        } finally {
          stop();
        }
      },
      onError: (key, err, waitMs) => {
        metrics.reconcileErrors.inc({ kind, error: (err as Error).name });
        // A conflict is the optimistic lock at work: the next round reads what is there then. And who leads no more ends.
        if (isConflict(err) || err instanceof NotLeader)
          log.debug({ key, waitMs }, `${kind} is left for the next round`);
        else log.error({ err, key, waitMs }, `Reconciling ${kind} failed; it is repeated`);
      },
    });
    work.push(made);
    depths.set(kind, () => made.depth);
    return made;
  }

  const keysOf = (store: { keys(): string[] }, to: WorkQueue) => () => {
    for (const key of store.keys()) to.add(key);
  };

  // --- caches -------------------------------------------------------------------------------------------------------
  const tasks = watch<AnalysisTask>(ANALYSIS_TASKS, onTask, { keep: keepTask });
  const pipelines = watch<Pipeline>(PIPELINES, ({ type, key }) => {
    pipelineQueue.add(key);
    if (type !== 'synced') for (const task of unfinished()) addTask(task);
  });
  const genomes = watch<CheckedGenome>(GENOMES as Resource<CheckedGenome>, ({ type, key }) => {
    genomeQueue.add(key);
    if (type === 'synced') return;
    keysOf(genomes.store, genomeQueue)();
    keysOf(panelTypes.store, panelTypeQueue)();
  });
  const panelTypes = watch<CheckedPanelType>(
    PANEL_TYPES as Resource<CheckedPanelType>,
    ({ type, key, object, previous }) => {
      panelTypeQueue.add(key);
      const renamed = previous?.spec.displayName !== object.spec.displayName;
      if (type === 'deleted' || type === 'added' || renamed) keysOf(panelTypes.store, panelTypeQueue)();
    },
  );
  const jobs = watch(JOBS, onJob, {
    labelSelector: OURS,
    keep: jobFacts,
    indexes: { owner: ({ owner }) => (owner ? [owner.uid] : []) },
  });
  const pods = watch(PODS, onPod, {
    labelSelector: OURS,
    keep: podFacts,
    indexes: {
      task: ({ namespace, task }) => (task ? [`${namespace}/${task}`] : []),
      job: ({ namespace, job }) => [`${namespace}/${job}`],
    },
  });
  // Without workers the operator may not see nodes, which no namespace holds, and there are no pools.
  const nodes = settings.workers
    ? watch<KubeNode, string>(
        NODES,
        ({ type, object, previous }) => {
          if (type === 'modified' && object !== previous)
            for (const task of unfinished()) taskQueue.addAfter(task, POD_CHANGES_MS, turnOf(tasks.store.get(task)));
        },
        { keep: (node) => (isNotReady(node) ? node.metadata.name : '') },
      ).store
    : undefined;
  const pools = (): Stored<WorkerPool>[] => workers?.pools.list() ?? [];

  function onTask({ key, object, type }: Change<Stored<AnalysisTask>>): void {
    if (type === 'deleted' || isFinished(object.status?.phase)) endTime.delete(key);
    addTask(key);
  }

  function onJob({ type, object, previous }: Change<JobFacts>): void {
    if (object.owner?.kind === ANALYSIS_TASKS.kind) {
      const key = `${object.namespace}/${object.owner.name}`;
      if (working && type === 'modified' && object.end && !previous?.end) endTime.set(key, performance.now());
      addTask(key);
    } else enqueueOwner(object);
  }

  function onPod({ object }: Change<PodFacts>): void {
    if (object.task) {
      const key = `${object.namespace}/${object.task}`;
      taskQueue.addAfter(key, POD_CHANGES_MS, turnOf(tasks.store.get(key)));
      return;
    }
    const job = jobs.store.get(`${object.namespace}/${object.job}`);
    if (job) enqueueOwner(job);
  }

  function enqueueOwner({ owner, namespace }: JobFacts): void {
    const key = `${namespace}/${owner?.name}`;
    if (owner?.kind === GENOMES.kind) genomeQueue.add(key);
    if (owner?.kind === PANEL_TYPES.kind) panelTypeQueue.add(key);
  }

  const addTask = (key: string): void => taskQueue.add(key, turnOf(tasks.store.get(key)));
  const unfinished = (): string[] =>
    tasks.store.keys().filter((key) => !isFinished(tasks.store.get(key)?.status?.phase));

  // --- reconcilers --------------------------------------------------------------------------------------------------
  const ending = new AbortController();
  const events = createEventRecorder({
    client,
    signal: ending.signal,
    now,
    onError: (err) => log.warn({ err }, 'An event could not be written'),
  });
  const taskReconciler = new TaskReconciler({
    client,
    caches: {
      tasks: tasks.store,
      pipelines: pipelines.store,
      genomes: genomes.store,
      jobs: jobs.store,
      pods: pods.store,
      panelTypes: panelTypes.store,
      pools,
      notReadyNodes: () => new Set(nodes?.list().filter(Boolean)),
    },
    events,
    settings: settings.tasks,
    now,
    onJobCreated: (key) => {
      const ended = endTime.get(key);
      if (ended === undefined) return;
      endTime.delete(key);
      metrics.reactionSeconds.observe((performance.now() - ended) / 1000);
    },
    onWritten: (key, old, next) => {
      if (isFinished(next.phase)) endTime.delete(key);
      countFailures(metrics, newFailures(old, next));
    },
    onGroupChange: (keys) => {
      for (const key of keys) addTask(key);
    },
  });
  const taskQueue = queue(ANALYSIS_TASKS.kind, (key, signal) => taskReconciler.reconcile(key, signal), TASKS_AT_A_TIME);
  const genomeOf = (namespace: string | undefined, name: string): Genome | undefined =>
    genomes.store.get(namespace ? `${namespace}/${name}` : name);
  const common = { client, jobs: jobs.store, pods: pods.store, pools, events, settings: settings.checks, now };
  const panelTypeReconciler = new CheckReconciler({
    ...common,
    kind: panelTypeCheck(({ metadata, spec }) => genomeOf(metadata.namespace, spec.genome)),
    objects: panelTypes.store,
  });
  const panelTypeQueue = queue(PANEL_TYPES.kind, (key, signal) => panelTypeReconciler.reconcile(key, signal));
  const genomeReconciler = new CheckReconciler({ ...common, kind: genomeCheck, objects: genomes.store });
  const genomeQueue = queue(GENOMES.kind, (key, signal) => genomeReconciler.reconcile(key, signal));
  const pipelineReconciler = new PipelineReconciler({
    client,
    pipelines: pipelines.store,
    events,
    images: { registry: settings.tasks.job.imageRegistry, prefixes: settings.imagePrefixes },
    now,
  });
  const pipelineQueue = queue(PIPELINES.kind, (key, signal) => pipelineReconciler.reconcile(key, signal));
  const shippedQueue = queue('ShippedPipeline', async (name, signal) => {
    const shipped = settings.shippedPipelines.get(name);
    if (shipped && (await applyShipped(client, shipped, signal))) log.info({ name }, 'A shipped Pipeline was applied');
    return {};
  });
  for (const name of settings.shippedPipelines.keys()) shippedQueue.add(name);
  const workers = settings.workers ? createWorkers({ client, watch, queue, jobs: jobs.store, events, now }) : undefined;

  metrics.measure({
    tasks: () => countByPhase(tasks.store.list()),
    oldestUnreported: () => {
      const oldest = Math.min(...endTime.values());
      return Number.isFinite(oldest) ? (performance.now() - oldest) / 1000 : 0;
    },
    depths: () => new Map([...depths].map(([kind, depth]) => [kind, depth()])),
  });

  return {
    ready: () => reflectors.every((reflector) => reflector.healthy),
    run: async (signal, lead) => {
      const following = reflectors.map((reflector) => reflector.run(signal));
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.race([Promise.all(reflectors.map((reflector) => reflector.synced)), stopped]);
      if (!signal.aborted) log.info({ tasks: tasks.store.size }, 'The caches are filled');
      await Promise.race([lead, stopped]);
      working = true;
      await Promise.all([...following, ...work.map((each) => each.run(signal))]);
      await events.settled();
      ending.abort();
    },
  };
}

/** Every phase is there, so that an alert finds a 0 and not nothing. */
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
