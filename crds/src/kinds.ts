/** The five kinds of seqpanel.dev/v1alpha1, defined in crds/yaml, and names for their parts. */

import type { IAnalysisTask } from './generated/seqpanel.dev/v1alpha1/AnalysisTask.ts';
import type { IGenome } from './generated/seqpanel.dev/v1alpha1/Genome.ts';
import type { IPanelType } from './generated/seqpanel.dev/v1alpha1/PanelType.ts';
import type { IPipeline } from './generated/seqpanel.dev/v1alpha1/Pipeline.ts';
import type { IWorkerPool } from './generated/seqpanel.dev/v1alpha1/WorkerPool.ts';

export const GROUP = 'seqpanel.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

export type AnalysisTask = IAnalysisTask;
export type AnalysisTaskSpec = IAnalysisTask['spec'];
export type AnalysisTaskStatus = NonNullable<IAnalysisTask['status']>;
export type TaskSample = AnalysisTaskSpec['samples'][number];
export type TaskPair = NonNullable<AnalysisTaskSpec['pairs']>[number];
export type StageStatus = NonNullable<AnalysisTaskStatus['stages']>[number];
export type StepStatus = NonNullable<StageStatus['steps']>[number];
export type Phase = NonNullable<AnalysisTaskStatus['phase']>;
export type PanelType = IPanelType;
export type Pipeline = IPipeline;
export type PipelineStage = IPipeline['spec']['stages'][number];
export type PipelineStep = PipelineStage['steps'][number];
export type Genome = IGenome;
export type WorkerPool = IWorkerPool;
export type Condition = NonNullable<NonNullable<IPanelType['status']>['conditions']>[number];

/** Plural by kind, for API paths. */
export const PLURALS = {
  AnalysisTask: 'analysistasks',
  PanelType: 'paneltypes',
  Pipeline: 'pipelines',
  Genome: 'genomes',
  WorkerPool: 'workerpools',
} as const;

/** Set by the api when a task's results are in Postgres. The value is the results' fingerprint. */
export const INGESTED_ANNOTATION = 'seqpanel.dev/ingested';
/** Set by the api on resources it creates: the hash of the launch, to recognize a repeated create. */
export const LAUNCH_ANNOTATION = 'seqpanel.dev/launch';

/** On stage pods: the WorkerPool's spec.queue. Workers ignore pods without it. */
export const QUEUE_LABEL = 'seqpanel.dev/queue';
export const TASK_LABEL = 'seqpanel.dev/task';
export const STAGE_LABEL = 'seqpanel.dev/stage';
export const STEP_LABEL = 'seqpanel.dev/step';
export const ATTEMPT_LABEL = 'seqpanel.dev/attempt';
