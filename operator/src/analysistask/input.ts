/** What a decision is made from and what it asks for. No decision reads the clock, the network or the environment. */

import type {
  AnalysisTask,
  AnalysisTaskStatus,
  Genome,
  PanelType,
  Pipeline,
  WorkerPool,
} from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Admitted } from '../admission/admission.ts';
import type { Action } from '../jobs/act.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import type { PodSettings } from '../jobs/pod-spec.ts';

export interface TaskSettings {
  /** Shortest time between two writes that tell only of progress, ms. */
  progressMs: number;
  /** A pod that cannot start for so long makes Progressing false, ms. */
  stuckMs: number;
  /** A task whose first pod does not run for so long is Overdue, ms; 0 = never. */
  queueWaitMs: number;
  /** Jobs that are recorded are deleted after this many seconds. */
  jobTtlSeconds: number;
  /** A finished and ingested task is deleted after this many ms; 0 keeps it for ever. */
  retentionMs: number;
  /** How many times the memory of a step is doubled after it was OOM-killed. */
  memoryDoublings: number;
  /** More ignored disruptions of one index than this fail its sample. */
  maxDisruptions: number;
  /** Attempts of one step before it fails; they are used up only by lost Jobs and memory. */
  maxAttempts: number;
  /** Mark pods that hang on a lost node as failed, as PodGC does. */
  markLostPods: boolean;
  /** A Terminating pod on a NotReady node is lost after its grace and this many ms. */
  lostPodMs: number;
  job: JobSettings;
}

/** What every Job has from the installation. */
export interface JobSettings extends PodSettings {
  /** With Kueue the operator leaves suspend and parallelism alone. */
  kueue: KueueSettings | undefined;
  /** Beginnings of the images that may run beside the shipped ones. */
  imagePrefixes: readonly string[];
}

export interface KueueSettings {
  /** Name of the LocalQueue; `{group}` stands for the group of the task. */
  queue: string;
  /** Name of the WorkloadPriorityClass; `{n}` stands for the number of the step. Empty: none. */
  priorityClass: string;
}

export interface Input {
  task: Stored<AnalysisTask>;
  pipeline: Pipeline | undefined;
  genome: Genome | undefined;
  panelType: PanelType | undefined;
  pools: readonly Stored<WorkerPool>[];
  /** The task's own Jobs, by owner uid. */
  jobs: readonly JobFacts[];
  pods: readonly PodFacts[];
  /** Names of nodes that are not ready. */
  notReadyNodes: ReadonlySet<string>;
  /** Whether the task may run; undefined when that is not planned yet. */
  admission: Admitted | undefined;
  /** Pods that a Job made now may run. */
  podsForNext: number;
  /** When the status was written last, ms; undefined when this process has not. */
  lastWrite: number | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  settings: TaskSettings;
}

export interface Decision {
  /** Carried out in order before the status is written: what is made may be made twice, never too late. */
  before: Action[];
  /** The status to be; equal to the old one when nothing is to be written. */
  status: AnalysisTaskStatus;
  /** Carried out after the status is written: what is taken away must be recorded first. */
  after: Action[];
  requeueAfterMs?: number;
}
