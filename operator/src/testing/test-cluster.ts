/** For tests only: a local control plane with a scripted step program, and the operator running on it. */

import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnalysisTask, Pipeline, StepStatus } from '@seqpanel/crds/kinds.ts';
import type { KubeAccess } from '@seqpanel/crds/kube/access.ts';
import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import {
  ANALYSIS_TASKS,
  EVENTS,
  JOBS,
  type KubeObject,
  PIPELINES,
  type Resource,
  type Stored,
} from '@seqpanel/crds/kube/objects.ts';
import { plainAccess } from '@seqpanel/crds/kube/test-server.ts';
import { parse } from 'yaml';
import { readConfig } from '../config.ts';
import type { LocalControlPlaneOptions } from '../local/control-plane.ts';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { createOperator } from '../operator.ts';
import { startPlane, stopPlane } from './plane.ts';
import { taskSpec } from './task-builders.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The step reads runs while this file exists. */
const HOLD_READS = `
if [ "$1" = reads ]; then while [ -e "$SEQPANEL_STORAGE/hold" ]; do read -t 0.02 < <(:) || true; done; fi`;

export interface TestClusterOptions extends Partial<LocalControlPlaneOptions> {
  /** Bash script; `$1` is the step, and `say JSON` writes the termination message. By default every step succeeds. */
  script?: string;
}

/** Starts a control plane, a client and an operator that can be killed and restarted. */
export async function startTestCluster({ script = '', ...options }: TestClusterOptions = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'seqpanel-operator-'));
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  const program = [
    '#!/bin/bash',
    'say() { echo "$1" > "$SEQPANEL_TERMINATION_LOG"; }',
    HOLD_READS,
    script,
    `say '{"outcome":"done"}'`,
  ];
  writeFileSync(join(bin, 'seqpanel-step'), `${program.join('\n')}\n`);
  chmodSync(join(bin, 'seqpanel-step'), 0o755);
  const kubeconfig = join(dir, 'kubeconfig');
  const planeOptions = {
    kubeconfig,
    dataDir: join(dir, 'data'),
    storageDir: join(dir, 'storage'),
    namespaces: ['test'],
    path: [bin],
    jobBackoffMs: 50,
    capacity: { cpu: 64, memory: 2 ** 40 },
    ...options,
  };
  let plane = await startPlane(planeOptions);
  const client = new KubeClient(accessFrom(kubeconfig), { namespace: 'test' });
  const signal = new AbortController().signal;

  /** Starts an operator without memory of earlier ones. */
  const startOperator = (more: Record<string, string> = {}) => {
    const config = readConfig({ SEQPANEL_PIPELINES_DIR: '', ...more });
    const metrics = createMetrics();
    const ending = new AbortController();
    const operator = createOperator({ client, ...config, log: createLog('json', 'silent'), metrics, now: Date.now });
    const run = operator.run(ending.signal);
    return {
      metrics,
      operator,
      stop: async () => {
        ending.abort();
        await run;
      },
    };
  };

  const create = <T extends KubeObject>(resource: Resource<T>, object: T) =>
    client.create(resource, object, { signal });
  const get = <T extends KubeObject>(resource: Resource<T>, name: string) => client.get(resource, name, { signal });

  /** Watches one object until the condition holds. */
  async function until<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    holds: (object: Stored<T>) => boolean,
  ): Promise<Stored<T>> {
    for (;;) {
      const page = await client.list(resource, { signal, fieldSelector: `metadata.name=${name}` });
      const [found] = page.items;
      if (found && holds(found)) return found;
      const watching = new AbortController();
      const events = client.watch(resource, {
        signal: watching.signal,
        resourceVersion: page.metadata.resourceVersion,
        fieldSelector: `metadata.name=${name}`,
        timeoutSeconds: 60,
      });
      for await (const { type, object } of events) {
        if (type === 'BOOKMARK' || type === 'DELETED' || !holds(object)) continue;
        watching.abort();
        return object;
      }
    }
  }

  const jobs = async () => (await client.list(JOBS, { signal })).items;
  /** Jobs of one task's steps. */
  const jobsOf = async (task: string) => (await jobs()).filter(({ metadata }) => metadata.name.startsWith(`${task}-`));
  const hold = join(planeOptions.storageDir, 'hold');

  /** Kills the process and starts a new one on the same data and port. */
  const restartPlane = async (): Promise<void> => {
    const port = Number(new URL(accessFrom(kubeconfig).server).port);
    const ended = once(plane, 'exit');
    plane.kill('SIGKILL');
    await ended;
    plane = await startPlane({ ...planeOptions, port });
  };

  return {
    dir,
    restartPlane,
    client,
    signal,
    startOperator,
    create,
    get,
    until,
    patch: <T extends KubeObject>(resource: Resource<T>, name: string, patch: object) =>
      client.patch(resource, name, patch, { signal }),
    applyPipeline: () =>
      create(PIPELINES, parse(readFileSync(join(ROOT, 'crds/pipelines/panel-1.0.0.yaml'), 'utf8')) as Pipeline),
    applyTask: (name: string, samples: string[], change: Partial<AnalysisTask['spec']> = {}) =>
      create(ANALYSIS_TASKS, {
        apiVersion: 'seqpanel.dev/v1alpha1',
        kind: 'AnalysisTask',
        metadata: { name },
        spec: { ...taskSpec(samples), ...change },
      }),
    untilPhase: (name: string, ...phases: string[]) =>
      until(ANALYSIS_TASKS, name, ({ status }) => phases.includes(status?.phase ?? '')),
    jobs,
    jobsOf,
    jobNames: async (task: string) => (await jobsOf(task)).map(({ metadata }) => metadata.name),
    /** The step reads does not end until it is released. */
    holdReads: () => writeFileSync(hold, ''),
    releaseReads: () => rmSync(hold),
    /** Returns the events about an object as `Reason: message`. */
    eventsOf: async (name: string) =>
      (await client.list(EVENTS, { signal })).items
        .filter(
          ({ involvedObject, source }) => involvedObject.name === name && source?.component === 'seqpanel-operator',
        )
        .map(({ reason, message }) => `${reason}: ${message}`),
    stop: async () => {
      await client.close();
      await stopPlane(plane);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The steps of a task's status, in order. */
export const stepsOf = ({ status }: AnalysisTask): StepStatus[] =>
  (status?.stages ?? []).flatMap(({ steps }) => steps ?? []);

export type TestCluster = Awaited<ReturnType<typeof startTestCluster>>;

/** Reads server and token from the local control plane's kubeconfig, which is JSON. */
function accessFrom(kubeconfig: string): KubeAccess {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: { cluster: { server: string } }[];
    users: { user: { token: string } }[];
  };
  const { origin } = new URL(clusters[0]!.cluster.server);
  return plainAccess(origin, () => users[0]!.user.token);
}
