/** Input and result of a decision. Decisions read no clock, network or environment. */

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
  /** Shortest time between two status writes that report only progress, ms. */
  progressMs: number;
  /** Progressing becomes False when a pod cannot start for this time, ms. */
  stuckMs: number;
  /** A task is Overdue when its first pod does not run within this time, ms; 0 disables the check. */
  queueWaitMs: number;
  /** Seconds until a recorded Job is deleted. */
  jobTtlSeconds: number;
  /** Milliseconds until a finished and ingested task is deleted; 0 keeps it. */
  retentionMs: number;
  /** How many times a step's memory is doubled after it ran out of memory. */
  memoryDoublings: number;
  /** A sample fails after more than this many ignored disruptions of its index. */
  maxDisruptions: number;
  /** Attempts of one step before it fails. Only lost Jobs, kills and memory use them up. */
  maxAttempts: number;
  /** Whether to mark pods that hang on a lost node as failed, as PodGC does. */
  markLostPods: boolean;
  /** A Terminating pod on a NotReady node is lost this long after its grace period, ms. */
  lostPodMs: number;
  job: JobSettings;
}

/** Settings of the installation that every Job gets. */
export interface JobSettings extends PodSettings {
  /** With Kueue the operator does not write suspend and parallelism. */
  kueue: KueueSettings | undefined;
  /** Prefixes of images that may run in addition to the shipped ones. */
  imagePrefixes: readonly string[];
}

export interface KueueSettings {
  /** Name of the LocalQueue; `{group}` is replaced by the task's group. */
  queue: string;
  /** Name of the WorkloadPriorityClass; `{n}` is replaced by the step number. Empty sets none. */
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
  /** The task's admission; undefined until it is planned. */
  admission: Admitted | undefined;
  /** Pods that a Job created now may run. */
  podsForNext: number;
  /** When this process last wrote the status, ms; undefined if it has not. */
  lastWrite: number | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  settings: TaskSettings;
}

export interface Decision {
  /** Actions before the status write. They only create objects, and repeating them is safe. */
  before: Action[];
  /** The new status; equal to the old one when no write is needed. */
  status: AnalysisTaskStatus;
  /** Actions after the status write. They remove objects, whose result must be recorded first. */
  after: Action[];
  requeueAfterMs?: number;
}
