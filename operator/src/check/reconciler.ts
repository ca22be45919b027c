/** Reconciles one checked kind: gather, decide, create objects, write the status once, remove objects, record events. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { BadRequest, isForbidden, isInvalid } from '@seqpanel/crds/kube/errors.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Store } from '@seqpanel/crds/kube/store.ts';
import { type Action, act, NameTaken } from '../jobs/act.ts';
import { endedPods } from '../jobs/ended-pods.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { findCondition } from '../kube/conditions.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { WorkResult } from '../kube/queue.ts';
import { writeStatus } from '../kube/write-status.ts';
import {
  CHECK_REASON,
  type Checked,
  type CheckedStatus,
  type CheckKind,
  type CheckSettings,
  READY,
  VALID,
} from './check-kind.ts';
import { decideCheck, refusedStatus } from './decide.ts';

export interface CheckReconcilerOptions<T extends Checked> {
  kind: CheckKind<T>;
  client: KubeClient;
  objects: Store<Stored<T>>;
  /** Index `owner`. */
  jobs: Store<JobFacts>;
  /** Index `job`: namespace/name of the Job. */
  pods: Store<PodFacts>;
  pools: () => readonly Stored<WorkerPool>[];
  events: EventRecorder;
  settings: CheckSettings;
  now: () => number;
}

export class CheckReconciler<T extends Checked> {
  readonly #options: CheckReconcilerOptions<T>;

  constructor(options: CheckReconcilerOptions<T>) {
    this.#options = options;
  }

  /** Throws errors that the queue retries, including conflicts. */
  async reconcile(key: string, signal: AbortSignal): Promise<WorkResult> {
    const { kind, client, objects, jobs, pods, events, settings, now } = this.#options;
    const object = objects.get(key);
    if (!object) return {};
    const owned = jobs.byIndex('owner', object.metadata.uid);
    const cached = owned.flatMap((job) => pods.byIndex('job', `${job.namespace}/${job.name}`));
    const current = owned.find(({ name }) => name === object.status?.checkJob);
    const decision = decideCheck({
      kind,
      object,
      all: objects.list(),
      jobs: owned,
      pods: await endedPods(client, current, cached, signal),
      pools: this.#options.pools(),
      now: now(),
      settings,
    });
    const refusal = await this.#make(object, decision.before, signal);
    if (refusal !== undefined) {
      const status = refusedStatus(kind, object, refusal, now());
      const stored = await writeStatus(client, kind.resource, object, status, signal);
      if (stored) this.#recordEvents(events, object, status, stored);
      return { requeueAfterMs: settings.repeatMs };
    }
    const stored = await writeStatus(client, kind.resource, object, decision.status, signal);
    if (stored) this.#recordEvents(events, object, decision.status, stored);
    for (const action of decision.after) await act(this.#options, object, action, signal);
    return decision.requeueAfterMs === undefined ? {} : { requeueAfterMs: decision.requeueAfterMs };
  }

  /** Creates the objects; returns the API server's message when it rejects one. */
  async #make(object: Stored<T>, actions: readonly Action[], signal: AbortSignal): Promise<string | undefined> {
    try {
      for (const action of actions) await act(this.#options, object, action, signal);
      return undefined;
    } catch (error) {
      const isRefusal =
        isForbidden(error) || isInvalid(error) || error instanceof BadRequest || error instanceof NameTaken;
      if (!isRefusal) throw error;
      return `The API server rejected the check: ${(error as Error).message}`;
    }
  }

  /** Records Valid when it is decided and Ready when it becomes true. Intermediate states get no event. */
  #recordEvents(events: EventRecorder, old: Checked, next: CheckedStatus, about: Stored<T>): void {
    for (const type of [VALID, READY]) {
      const was = findCondition(old.status?.conditions, type);
      const is = findCondition(next.conditions, type);
      if (!is || (was?.status === is.status && was.reason === is.reason)) continue;
      if (is.status === 'True') events.record(about, { type: 'Normal', reason: type, message: is.message });
      else if (type === VALID && is.reason !== CHECK_REASON.checking)
        events.record(about, { type: 'Warning', reason: is.reason, message: is.message });
    }
  }
}
