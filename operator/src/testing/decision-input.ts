/** For tests only: builds the input of a decision about a task. */

import type { AnalysisTask } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Input, TaskSettings } from '../analysistask/input.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { aPipeline, NOW } from './task-builders.ts';

export const SETTINGS: TaskSettings = {
  progressMs: 5_000,
  stuckMs: 300_000,
  queueWaitMs: 6 * 3_600_000,
  jobTtlSeconds: 600,
  retentionMs: 3 * 86_400_000,
  memoryDoublings: 2,
  maxDisruptions: 10,
  maxAttempts: 20,
  markLostPods: true,
  lostPodMs: 120_000,
  job: {
    storageClaim: 'seqpanel-storage',
    storageMountPath: '/storage',
    runAsUser: 10001,
    fsGroup: 10001,
    serviceAccount: 'default',
    priorityClass: '',
    pullSecrets: [],
    imageRegistry: '',
    kueue: undefined,
    imagePrefixes: [],
  },
};

export const anInput = (
  task: { build(): Stored<AnalysisTask> },
  jobs: { build(): JobFacts }[] = [],
  podsOf: { build(): PodFacts }[] = [],
  more: Partial<Input> = {},
): Input => ({
  task: task.build(),
  pipeline: aPipeline(),
  genome: undefined,
  panelType: undefined,
  pools: [],
  jobs: jobs.map((job) => job.build()),
  pods: podsOf.map((pod) => pod.build()),
  notReadyNodes: new Set(),
  admission: { grant: { pods: Number.MAX_SAFE_INTEGER } },
  podsForNext: Number.MAX_SAFE_INTEGER,
  lastWrite: undefined,
  now: NOW,
  settings: SETTINGS,
  ...more,
});
