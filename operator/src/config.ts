/** The operator's settings, read from the environment. An invalid value is rejected with the variable's name. */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Pipeline } from '@seqpanel/crds/kinds.ts';
import { portNumber, readSettings, wholeNumber } from '@seqpanel/crds/settings.ts';
import { z } from 'zod';
import type { Limits } from './admission/admission-plan.ts';
import type { TaskSettings } from './analysistask/input.ts';
import type { CheckSettings } from './check/check-kind.ts';
import { MEMORY_DOUBLINGS_MAX } from './jobs/memory-doublings.ts';
import { readShipped } from './pipeline/shipped.ts';

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );
const count = (fallback: number, most = Number.MAX_SAFE_INTEGER) => wholeNumber(0, most).default(fallback);
const idOrNone = (fallback: string) =>
  z
    .string()
    .regex(/^\d{0,9}$/, 'must be a number, or empty')
    .default(fallback)
    .transform((text) => (text === '' ? undefined : Number(text)));
const onOff = (fallback: 'on' | 'off') => z.enum(['on', 'off']).default(fallback);

const ENVIRONMENT = z.object({
  SEQPANEL_NAMESPACE: z.string().min(1).default('seqpanel'),
  /** Separate from SEQPANEL_HOST, which is the console's address. `*` listens on every address, with or without IPv6. */
  SEQPANEL_METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .transform((host) => (host === '*' ? undefined : host)),
  SEQPANEL_METRICS_PORT: portNumber.default(9090),
  SEQPANEL_LOG_FORMAT: z.enum(['json', 'pretty']).default('json'),
  SEQPANEL_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  SEQPANEL_PARENT: z.enum(['stdin', 'none']).default('none'),
  /** Set to on wherever two operators may run at once, even only during an upgrade. */
  SEQPANEL_LEADER_ELECTION: onOff('off'),
  /** Identity of this process in the Lease. */
  SEQPANEL_POD_NAME: z
    .string()
    .min(1)
    .default(() => `${hostname()}_${randomUUID().slice(0, 8)}`),

  SEQPANEL_STORAGE_CLAIM: z.string().min(1).default('seqpanel-storage'),
  SEQPANEL_STORAGE_MOUNT: z.string().startsWith('/').default('/storage'),
  /** Empty lets the platform choose, as OpenShift does. */
  SEQPANEL_STEP_USER: idOrNone('10001'),
  SEQPANEL_STEP_GROUP: idOrNone('10001'),
  SEQPANEL_STEP_SERVICE_ACCOUNT: z.string().min(1).default('default'),
  SEQPANEL_PRIORITY_CLASS: z.string().default(''),
  /** Names of the Secrets that pull images. */
  SEQPANEL_PULL_SECRETS: list,
  /** A Kueue LocalQueue for all tasks, or a template with one per group, such as seqpanel-{group}. Empty disables Kueue. */
  SEQPANEL_KUEUE_QUEUE: z.string().default(''),
  SEQPANEL_KUEUE_QUEUE_TEMPLATE: z
    .string()
    .refine((text) => text === '' || text.includes('{group}'), 'must contain {group}')
    .default(''),
  /** Template of WorkloadPriorityClass names by step number, such as seqpanel-step-{n}. Empty uses none. */
  SEQPANEL_KUEUE_PRIORITY_TEMPLATE: z
    .string()
    .refine((text) => text === '' || text.includes('{n}'), 'must contain {n}')
    .default(''),
  /** Registry of images that name none. Empty leaves the choice to the container runtime. */
  SEQPANEL_IMAGE_REGISTRY: z.string().default(''),
  /** Folder of manifests that are applied once. Empty applies none. */
  SEQPANEL_PIPELINES_DIR: z.string().default(join(import.meta.dirname, '../../crds/pipelines')),
  SEQPANEL_CHECK_IMAGE: z.string().min(1).default('seqpanel/pipeline:1.0.0'),
  /** Prefixes of images that a Pipeline may use in addition to the shipped ones, with or without a registry. */
  SEQPANEL_IMAGE_PREFIXES: list,
  SEQPANEL_GENOME_HOSTS: list,
  /** Proxy for fetching genomes, as http://host:port, and the hosts that bypass it. */
  SEQPANEL_GENOME_PROXY: z.string().default(''),
  SEQPANEL_GENOME_NO_PROXY: z.string().default(''),
  /** A ConfigMap whose ca.crt is trusted when genomes are fetched. */
  SEQPANEL_CA_CONFIG_MAP: z.string().default(''),

  /** Running pods of one group, and of all groups; 0 means no limit. The settings ConfigMap overrides both. */
  SEQPANEL_GROUP_PODS: count(96, 1_000_000),
  SEQPANEL_TOTAL_PODS: count(200, 1_000_000),
  SEQPANEL_JOB_TTL_SECONDS: count(600),
  /** For steps and checks. 3 raises 2 GiB to at most 16 GiB. */
  SEQPANEL_MEMORY_DOUBLINGS: count(3, MEMORY_DOUBLINGS_MAX),
  SEQPANEL_STUCK_SECONDS: count(300),
  /** Time a task may wait for its first pod before it is Overdue; 0 disables the check. */
  SEQPANEL_QUEUE_WAIT_SECONDS: count(6 * 3600),
  /** Needs permission to list nodes. Defaults to the value of SEQPANEL_WORKERS. */
  SEQPANEL_MARK_LOST_PODS: z.enum(['on', 'off']).optional(),
  /** A Terminating pod on a NotReady node is given up this long after its grace period. */
  SEQPANEL_LOST_POD_SECONDS: count(120),
  /** Needs permission to list all nodes and pods and to scale WorkerPools. */
  SEQPANEL_WORKERS: onOff('off'),
});

export interface Config {
  namespace: string;
  /** Undefined listens on every address. */
  host: string | undefined;
  metricsPort: number;
  logFormat: 'json' | 'pretty';
  logLevel: string;
  /** Shut down when stdin closes, because the parent process has exited. */
  endWithStdin: boolean;
  leaderElection: boolean;
  identity: string;
  /** By Pipeline name. */
  shippedPipelines: ReadonlyMap<string, Pipeline>;
  workers: boolean;
  tasks: TaskSettings;
  limits: Limits;
  checks: CheckSettings;
}

/** Default time from ingest to deletion of a finished task, ms. The settings ConfigMap overrides it. */
const RETENTION_MS = 3 * 24 * 3600 * 1000;
/** Shortest time between two progress writes of a task, ms. Long steps wait longer. */
const PROGRESS_MS = 5_000;
/** A sample fails after more than this many ignored disruptions of its index. */
const MAX_DISRUPTIONS = 10;
const MAX_ATTEMPTS = 20;
const CHECK_REPEAT_MS = 10 * 60_000;

/** Throws an Error that names each invalid variable. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const value = readSettings(ENVIRONMENT, env);
  const folder = value.SEQPANEL_PIPELINES_DIR;
  const queue = value.SEQPANEL_KUEUE_QUEUE_TEMPLATE || value.SEQPANEL_KUEUE_QUEUE;
  const pod = {
    storageClaim: value.SEQPANEL_STORAGE_CLAIM,
    storageMountPath: value.SEQPANEL_STORAGE_MOUNT,
    runAsUser: value.SEQPANEL_STEP_USER,
    fsGroup: value.SEQPANEL_STEP_GROUP,
    serviceAccount: value.SEQPANEL_STEP_SERVICE_ACCOUNT,
    priorityClass: value.SEQPANEL_PRIORITY_CLASS,
    pullSecrets: value.SEQPANEL_PULL_SECRETS,
    imageRegistry: value.SEQPANEL_IMAGE_REGISTRY,
  };
  return {
    namespace: value.SEQPANEL_NAMESPACE,
    host: value.SEQPANEL_METRICS_HOST,
    metricsPort: value.SEQPANEL_METRICS_PORT,
    logFormat: value.SEQPANEL_LOG_FORMAT,
    logLevel: value.SEQPANEL_LOG_LEVEL,
    endWithStdin: value.SEQPANEL_PARENT === 'stdin',
    leaderElection: value.SEQPANEL_LEADER_ELECTION === 'on',
    identity: value.SEQPANEL_POD_NAME,
    shippedPipelines: folder === '' ? new Map() : readShipped(folder),
    workers: value.SEQPANEL_WORKERS === 'on',
    tasks: {
      progressMs: PROGRESS_MS,
      stuckMs: value.SEQPANEL_STUCK_SECONDS * 1000,
      jobTtlSeconds: value.SEQPANEL_JOB_TTL_SECONDS,
      retentionMs: RETENTION_MS,
      memoryDoublings: value.SEQPANEL_MEMORY_DOUBLINGS,
      maxDisruptions: MAX_DISRUPTIONS,
      maxAttempts: MAX_ATTEMPTS,
      queueWaitMs: value.SEQPANEL_QUEUE_WAIT_SECONDS * 1000,
      markLostPods: (value.SEQPANEL_MARK_LOST_PODS ?? value.SEQPANEL_WORKERS) === 'on',
      lostPodMs: value.SEQPANEL_LOST_POD_SECONDS * 1000,
      job: {
        ...pod,
        imagePrefixes: value.SEQPANEL_IMAGE_PREFIXES,
        kueue: queue === '' ? undefined : { queue, priorityClass: value.SEQPANEL_KUEUE_PRIORITY_TEMPLATE },
      },
    },
    limits: {
      groupPods: value.SEQPANEL_GROUP_PODS,
      totalPods: value.SEQPANEL_TOTAL_PODS,
      groupWeights: {},
    },
    checks: {
      image: value.SEQPANEL_CHECK_IMAGE,
      memoryDoublings: value.SEQPANEL_MEMORY_DOUBLINGS,
      repeatMs: CHECK_REPEAT_MS,
      stuckMs: value.SEQPANEL_STUCK_SECONDS * 1000,
      jobTtlSeconds: value.SEQPANEL_JOB_TTL_SECONDS,
      genomeHosts: value.SEQPANEL_GENOME_HOSTS,
      outside: {
        proxy: value.SEQPANEL_GENOME_PROXY,
        noProxy: value.SEQPANEL_GENOME_NO_PROXY,
        caConfigMap: value.SEQPANEL_CA_CONFIG_MAP,
      },
      pod,
    },
  };
}
