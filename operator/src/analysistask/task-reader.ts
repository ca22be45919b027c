/** Reads the input of a decision from the caches, and from the API server if the caches may lack it. */

import type { AnalysisTask, Genome, PanelType, Pipeline, WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { ignoreGone } from '@seqpanel/crds/kube/ignore-gone.ts';
import { ANALYSIS_TASKS, CONFIG_MAPS, JOBS, type Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Store } from '@seqpanel/crds/kube/store.ts';
import { endedPods } from '../jobs/ended-pods.ts';
import { type JobFacts, jobFacts, type PodFacts } from '../jobs/facts.ts';
import { withLogs } from '../jobs/log-tails.ts';
import type { Input, TaskSettings } from './input.ts';
import { specName } from './names.ts';
import { PIPELINE_KEY } from './spec-file.ts';
import type { TaskMemory } from './task-memory.ts';
import { isFinished, openStep } from './task-state.ts';

export interface TaskCaches {
  tasks: Store<Stored<AnalysisTask>>;
  pipelines: Store<Stored<Pipeline>>;
  genomes: Store<Stored<Genome>>;
  panelTypes: Store<Stored<PanelType>>;
  pools: () => readonly Stored<WorkerPool>[];
  /** Index `owner`: uid of the task. */
  jobs: Store<JobFacts>;
  /** Index `task`: namespace/name of the task. */
  pods: Store<PodFacts>;
  notReadyNodes: () => ReadonlySet<string>;
}

export interface TaskReaderOptions {
  client: KubeClient;
  caches: TaskCaches;
  /** Returns the current settings. */
  settings: () => TaskSettings;
  now: () => number;
}

export class TaskReader {
  readonly #options: TaskReaderOptions;

  constructor(options: TaskReaderOptions) {
    this.#options = options;
  }

  async gather(
    key: string,
    task: Stored<AnalysisTask>,
    memory: TaskMemory,
    signal: AbortSignal,
  ): Promise<Omit<Input, 'admission' | 'podsForNext'>> {
    const { client, caches, settings, now } = this.#options;
    const { namespace, uid } = task.metadata;
    const inNamespace = (name: string | undefined): string => (namespace ? `${namespace}/${name}` : `${name}`);
    const jobs = caches.jobs.byIndex('owner', uid);
    const unseen = await this.#unseenJob(task, jobs, signal);
    const openJob = openStep(task.status ?? {})?.step.job;
    const open = unseen ?? jobs.find(({ name }) => name === openJob);
    const ended = await endedPods(client, open, caches.pods.byIndex('task', key), signal);
    const pods = await withLogs(client, open, ended, signal);
    return {
      task,
      pipeline: await this.#pipelineOf(
        task,
        memory,
        caches.pipelines.get(inNamespace(task.spec.pipeline.name)),
        signal,
      ),
      genome: task.spec.genome ? caches.genomes.get(inNamespace(task.spec.genome)) : undefined,
      panelType: caches.panelTypes.get(inNamespace(task.spec.panelType.name)),
      pools: caches.pools(),
      jobs: unseen ? [...jobs, unseen] : jobs,
      pods,
      notReadyNodes: caches.notReadyNodes(),
      lastWrite: memory.writtenAt,
      now: now(),
      settings: settings(),
    };
  }

  /**
   * Returns the live Pipeline before the start and the one frozen at the start afterwards, so that deleting or replacing a
   * Pipeline does not affect running tasks.
   */
  async #pipelineOf(
    task: Stored<AnalysisTask>,
    memory: TaskMemory,
    live: Pipeline | undefined,
    signal: AbortSignal,
  ): Promise<Pipeline | undefined> {
    if (!task.status?.stages || isFinished(task.status.phase)) return live;
    if (memory.pipeline) return memory.pipeline;
    const { name, namespace } = task.metadata;
    const file = await ignoreGone(
      this.#options.client.get(CONFIG_MAPS, specName(name), {
        signal,
        ...(namespace !== undefined && { namespace }),
      }),
    );
    const frozen = file?.data?.[PIPELINE_KEY];
    memory.pipeline = frozen ? (JSON.parse(frozen) as Pipeline) : live;
    return memory.pipeline;
  }

  /**
   * Reports whether the task still exists. Its Jobs are deleted with it, and their watch may be ahead of the tasks' watch;
   * the open Job would then count as lost and be created again.
   */
  async exists({ metadata }: Stored<AnalysisTask>, signal: AbortSignal): Promise<boolean> {
    const { name, namespace, uid } = metadata;
    const call = { signal, ...(namespace !== undefined && { namespace }) };
    const found = await ignoreGone(this.#options.client.get(ANALYSIS_TASKS, name, call));
    return found?.metadata.uid === uid && found.metadata.deletionTimestamp === undefined;
  }

  /** Reads the complete task from the API server. */
  async whole(task: Stored<AnalysisTask>, signal: AbortSignal): Promise<Stored<AnalysisTask>> {
    const { name, namespace, uid } = task.metadata;
    const call = { signal, ...(namespace !== undefined && { namespace }) };
    const whole = await this.#options.client.get(ANALYSIS_TASKS, name, call);
    if (whole.metadata.uid !== uid) throw new Error(`AnalysisTask ${name} was deleted and made again`);
    return whole;
  }

  /** Reads the open step's Job from the API server if the cache lacks it, before it counts as lost. */
  async #unseenJob(
    task: Stored<AnalysisTask>,
    jobs: readonly JobFacts[],
    signal: AbortSignal,
  ): Promise<JobFacts | undefined> {
    if (!task.status || isFinished(task.status.phase)) return undefined;
    const name = openStep(task.status)?.step.job;
    if (!name || jobs.some((job) => job.name === name)) return undefined;
    const { namespace, uid } = task.metadata;
    const job = await ignoreGone(
      this.#options.client.get(JOBS, name, { signal, ...(namespace !== undefined && { namespace }) }),
    );
    const facts = job && jobFacts(job);
    return facts?.owner?.uid === uid ? facts : undefined;
  }
}
