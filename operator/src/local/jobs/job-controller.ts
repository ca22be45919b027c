/** Runs decideJob after each change of a Job or its pods, and writes the decision in one transaction. */

import type { Job } from '@seqpanel/crds/kube/core-types.ts';
import { recordEvent } from '../objects/events.ts';
import type { Obj } from '../objects/metadata.ts';
import type { Registry } from '../objects/registry.ts';
import { JOB, POD } from '../objects/resources.ts';
import { ApiError } from '../objects/status.ts';
import type { Change } from '../objects/store.ts';
import { decideJob } from './job-decide.ts';
import {
  FAILURES,
  IGNORED_FAILURES,
  INDEX,
  isFinished,
  JOB_FINALIZER,
  type JobDecision,
  type JobPod,
  type JobStatus,
} from './job-sync.ts';

const COMPONENT = 'job-controller';

interface Known {
  ns: string;
  name: string;
  pods: Map<string, JobPod>;
}

const controllerUid = (pod: Obj): string | undefined =>
  pod.metadata.ownerReferences?.find((owner) => owner.controller && owner.kind === 'Job')?.uid;

export class JobController {
  readonly #registry: Registry;
  readonly #backoffMs: number;
  /** Unfinished Jobs by uid with their pods, so that a sync parses nothing twice. */
  readonly #jobs = new Map<string, Known>();
  readonly #dirty = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #scheduled = false;
  #stopped = false;

  constructor(registry: Registry, backoffMs: number) {
    this.#registry = registry;
    this.#backoffMs = backoffMs;
    for (const job of registry.list(JOB)) this.#observeJob(job as Obj & Job, false);
    for (const pod of registry.list(POD)) this.#observePod(pod as JobPod, false);
    registry.store.onCommit((changes) => {
      for (const change of changes) this.#onChange(change);
    });
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #onChange({ kind, object, deleted }: Change): void {
    if (kind === JOB.id) this.#observeJob(JSON.parse(object) as Obj & Job, deleted === 1);
    else if (kind === POD.id) this.#observePod(JSON.parse(object) as JobPod, deleted === 1);
    else return;
    this.#schedule();
  }

  #observeJob(job: Obj & Job, gone: boolean): void {
    const uid = job.metadata.uid!;
    const known = this.#jobs.get(uid) ?? { ns: job.metadata.namespace!, name: job.metadata.name!, pods: new Map() };
    if (gone || isFinished(job)) {
      // Pods of a deleted or finished Job are released; nothing else of the Job is kept.
      for (const pod of known.pods.values()) this.#release(pod);
      this.#jobs.delete(uid);
      clearTimeout(this.#timers.get(uid));
      this.#timers.delete(uid);
      return;
    }
    this.#jobs.set(uid, known);
    this.#dirty.add(uid);
  }

  #observePod(pod: JobPod, gone: boolean): void {
    const owner = controllerUid(pod);
    const uid = pod.metadata.uid!;
    const known = owner === undefined ? undefined : this.#jobs.get(owner);
    if (known && owner) {
      if (gone) known.pods.delete(uid);
      else known.pods.set(uid, pod);
      this.#dirty.add(owner);
    } else if (!gone && pod.metadata.finalizers?.includes(JOB_FINALIZER)) this.#release(pod);
  }

  #schedule(): void {
    if (this.#scheduled || this.#dirty.size === 0) return;
    this.#scheduled = true;
    // One sync for all commits of the running turn of the event loop.
    setImmediate(() => {
      this.#scheduled = false;
      const uids = [...this.#dirty];
      this.#dirty.clear();
      if (this.#stopped) return;
      for (const uid of uids) {
        try {
          this.#registry.store.transaction(() => this.#sync(uid));
        } catch (error) {
          // An invalid Job, written by hand, must not stop the others.
          console.error(`job ${uid}:`, error);
        }
      }
    });
  }

  #sync(uid: string): void {
    const known = this.#jobs.get(uid);
    if (!known) return;
    const job = this.#registry.find(JOB, known.ns, known.name) as (Obj & Job) | undefined;
    if (job?.metadata.uid !== uid) return;
    const decision = decideJob({
      job,
      pods: [...known.pods.values()],
      now: this.#registry.now(),
      backoffMs: this.#backoffMs,
    });
    this.#act(job, decision);
    clearTimeout(this.#timers.get(uid));
    this.#timers.delete(uid);
    if (decision.wakeAt === undefined) return;
    const delay = Math.min(Math.max(decision.wakeAt - this.#registry.now(), 1), 2 ** 31 - 1);
    this.#timers.set(
      uid,
      setTimeout(() => {
        this.#dirty.add(uid);
        this.#schedule();
      }, delay).unref(),
    );
  }

  #act(job: Obj & Job, decision: JobDecision): void {
    const registry = this.#registry;
    for (const pod of decision.delete) {
      this.#release(pod, false);
      try {
        registry.delete(POD, pod.metadata.namespace!, pod.metadata.name!, {
          preconditions: { uid: pod.metadata.uid! },
        });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    for (const pod of decision.release) this.#release(pod, false);
    let current: Obj = job;
    const write = (status: JobStatus) => {
      current = registry.put(JOB, current, { ...current, metadata: { ...current.metadata }, status });
    };
    const [first, last] = decision.statuses;
    const created: string[] = [];
    for (const one of decision.create) created.push(this.#createPod(job, one));
    if (first) write(first);
    if (last) write(last);
    for (const name of created)
      decision.events.push({ type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${name}` });
    for (const event of decision.events) recordEvent(registry, COMPONENT, { type: JOB, object: job }, event);
  }

  #createPod(job: Obj & Job, { index, failures, ignored }: JobDecision['create'][number]): string {
    const { name, namespace, uid } = job.metadata;
    const template = structuredClone(job.spec!.template);
    const labels: Record<string, string> = { ...template.metadata?.labels };
    const annotations: Record<string, string> = { ...template.metadata?.annotations };
    const spec = template.spec as typeof template.spec & { hostname?: string };
    if (index !== undefined) {
      labels[INDEX] = String(index);
      annotations[INDEX] = String(index);
      if (failures !== undefined) annotations[FAILURES] = String(failures);
      if (ignored) annotations[IGNORED_FAILURES] = String(ignored);
      spec.hostname = `${name}-${index}`;
      for (const container of spec.containers) {
        container.env = [
          ...(container.env ?? []),
          { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } } },
        ];
      }
    }
    const pod = this.#registry.create(POD, namespace!, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        generateName: index === undefined ? `${name}-` : `${name}-${index}-`,
        namespace: namespace!,
        labels,
        ...(Object.keys(annotations).length > 0 && { annotations }),
        finalizers: [JOB_FINALIZER],
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name: name!, uid: uid!, controller: true, blockOwnerDeletion: true },
        ],
      },
      spec,
    });
    return pod.metadata.name!;
  }

  /** Removes our finalizer from the pod; `later` when called from a commit, which must not write. */
  #release(pod: JobPod, later = true): void {
    if (!pod.metadata.finalizers?.includes(JOB_FINALIZER)) return;
    if (later) {
      setImmediate(() => {
        if (!this.#stopped) this.#release(pod, false);
      });
      return;
    }
    const { namespace = '', name = '', uid } = pod.metadata;
    const current = this.#registry.find(POD, namespace, name);
    if (!current?.metadata.finalizers || current.metadata.uid !== uid) return;
    const finalizers = current.metadata.finalizers.filter((one) => one !== JOB_FINALIZER);
    const { finalizers: _all, ...metadata } = current.metadata;
    this.#registry.put(POD, current, {
      ...current,
      metadata: finalizers.length > 0 ? { ...metadata, finalizers } : metadata,
    });
  }
}
