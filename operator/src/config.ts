/** The operator's settings, from the environment; a bad value is refused with the variable's name. */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Pipeline } from '@seqpanel/crds/kinds.ts';
import { portNumber, readSettings, wholeNumber } from '@seqpanel/crds/settings.ts';
import { z } from 'zod';
import type { Limits } from './admission/plan.ts';
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
  /** Apart from SEQPANEL_HOST, which is where people reach the console; `*`: every address that there is, IPv6 or not. */
  SEQPANEL_METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .transform((host) => (host === '*' ? undefined : host)),
  SEQPANEL_METRICS_PORT: portNumber.default(9090),
  SEQPANEL_LOG_FORMAT: z.enum(['json', 'pretty']).default('json'),
  SEQPANEL_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  SEQPANEL_PARENT: z.enum(['stdin', 'none']).default('none'),
  /** On where there may be two operators, if only during an upgrade. */
  SEQPANEL_LEADER_ELECTION: onOff('off'),
  /** Names this process in the Lease. */
  SEQPANEL_POD_NAME: z
    .string()
    .min(1)
    .default(() => `${hostname()}_${randomUUID().slice(0, 8)}`),

  SEQPANEL_STORAGE_CLAIM: z.string().min(1).default('seqpanel-storage'),
  SEQPANEL_STORAGE_MOUNT: z.string().startsWith('/').default('/storage'),
  /** Empty: the platform chooses, as OpenShift does. */
  SEQPANEL_STEP_USER: idOrNone('10001'),
  SEQPANEL_STEP_GROUP: idOrNone('10001'),
  SEQPANEL_STEP_SERVICE_ACCOUNT: z.string().min(1).default('default'),
  SEQPANEL_PRIORITY_CLASS: z.string().default(''),
  /** Names of Secrets by which images are pulled. */
  SEQPANEL_PULL_SECRETS: list,
  /** A LocalQueue of Kueue for all tasks, or one for each group by its template, as seqpanel-{group}. Empty: no Kueue. */
  SEQPANEL_KUEUE_QUEUE: z.string().default(''),
  SEQPANEL_KUEUE_QUEUE_TEMPLATE: z
    .string()
    .refine((text) => text === '' || text.includes('{group}'), 'must contain {group}')
    .default(''),
  /** Names of WorkloadPriorityClasses by the number of the step, as seqpanel-step-{n}; empty: none. */
  SEQPANEL_KUEUE_PRIORITY_TEMPLATE: z
    .string()
    .refine((text) => text === '' || text.includes('{n}'), 'must contain {n}')
    .default(''),
  /** Of images that name no registry of their own; empty: the container runtime decides. */
  SEQPANEL_IMAGE_REGISTRY: z.string().default(''),
  /** Manifests that are applied once; empty: none. */
  SEQPANEL_PIPELINES_DIR: z.string().default(join(import.meta.dirname, '../../crds/pipelines')),
  SEQPANEL_CHECK_IMAGE: z.string().min(1).default('seqpanel/pipeline:1.0.0'),
  /** Beginnings of the images that a Pipeline may name beside the shipped ones, with their registry or without. */
  SEQPANEL_IMAGE_PREFIXES: list,
  SEQPANEL_GENOME_HOSTS: list,
  /** By which genomes are fetched, as http://host:port; and for which hosts not. */
  SEQPANEL_GENOME_PROXY: z.string().default(''),
  SEQPANEL_GENOME_NO_PROXY: z.string().default(''),
  /** A ConfigMap with ca.crt, trusted when genomes are fetched. */
  SEQPANEL_CA_CONFIG_MAP: z.string().default(''),

  /** Running pods of one group, and of all together; 0: no limit. The ConfigMap of settings overrides them. */
  SEQPANEL_GROUP_PODS: count(96, 1_000_000),
  SEQPANEL_TOTAL_PODS: count(200, 1_000_000),
  SEQPANEL_JOB_TTL_SECONDS: count(600),
  /** Of steps and checks: 3 makes of 2 GiB up to 16. */
  SEQPANEL_MEMORY_DOUBLINGS: count(3, MEMORY_DOUBLINGS_MAX),
  SEQPANEL_STUCK_SECONDS: count(300),
  /** How long a task may wait for its first pod before it is told of; 0: for ever. */
  SEQPANEL_QUEUE_WAIT_SECONDS: count(6 * 3600),
  /** Needs the right to see nodes; as SEQPANEL_WORKERS where it is not given. */
  SEQPANEL_MARK_LOST_PODS: z.enum(['on', 'off']).optional(),
  /** A Terminating pod on a NotReady node is given so long after its grace (DESIGN 5). */
  SEQPANEL_LOST_POD_SECONDS: count(120),
  /** On where the operator may see all nodes and pods and scale WorkerPools. */
  SEQPANEL_WORKERS: onOff('off'),
});

export interface Config {
  namespace: string;
  /** Undefined: every address. */
  host: string | undefined;
  metricsPort: number;
  logFormat: 'json' | 'pretty';
  logLevel: string;
  /** End when stdin closes: the parent has gone. */
  endWithStdin: boolean;
  leaderElection: boolean;
  identity: string;
  /** By name. */
  shippedPipelines: ReadonlyMap<string, Pipeline>;
  workers: boolean;
  tasks: TaskSettings;
  limits: Limits;
  checks: CheckSettings;
}

/** A finished task is deleted so long after ingest, ms, until the ConfigMap of settings says otherwise. */
const RETENTION_MS = 3 * 24 * 3600 * 1000;
/** Progress is written at most every 5 s per task (DESIGN 4), of a long step more seldom. */
const PROGRESS_MS = 5_000;
/** More than 10 ignored disruptions of one index fail the sample (DESIGN 5). */
const MAX_DISRUPTIONS = 10;
const MAX_ATTEMPTS = 20;
const CHECK_REPEAT_MS = 10 * 60_000;

/** Throws an Error that names each variable that cannot be used. */
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
