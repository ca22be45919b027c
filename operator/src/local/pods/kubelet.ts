/** The kubelet of the only node, this machine: runs pods as processes and reports their status. */

import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Obj } from '../objects/metadata.ts';
import type { Registry } from '../objects/registry.ts';
import { CONFIG_MAP, POD } from '../objects/resources.ts';
import { badRequest } from '../objects/status.ts';
import type { Change } from '../objects/store.ts';
import { Binder } from './binder.ts';
import { logFile, MountError, missingProgram, preparePod, terminationFile } from './pod-files.ts';
import { sendLog, terminationMessage } from './pod-logs.ts';
import { outOfMemoryKills, type PodProcess, startPodProcess, sweepRunner } from './pod-process.ts';
import { endedStatus, isTerminal, lostStatus, runningStatus, waitingStatus } from './pod-status.ts';
import { type LivePod, PodWriter } from './pod-writer.ts';
import type { Size } from './scheduler.ts';

interface Running {
  pod: LivePod;
  startedAt: string;
  process?: PodProcess;
  ended: Promise<void>;
  /** The pod exceeded its own deadline. */
  overdue: boolean;
  /** Termination was requested. */
  ending?: boolean;
  timers: NodeJS.Timeout[];
}

export interface KubeletOptions {
  registry: Registry;
  nodeName: string;
  podsDir: string;
  storageDir: string;
  path: string[];
  capacity: Size;
  /** A pod that requests more than the machine has gets the whole machine. */
  clamp: boolean;
}

/** Limit of setTimeout: 24.8 days. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #registry: Registry;
  readonly #pods: PodWriter;
  readonly #binder: Binder;
  readonly #running = new Map<string, Running>();
  readonly #unmounted = new Map<string, LivePod>();
  #stopped = false;

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#registry = options.registry;
    this.#pods = new PodWriter(options.registry);
    const { nodeName, capacity, clamp } = options;
    const onBound = (pod: LivePod) => {
      const startedAt = this.#pods.at();
      this.#running.set(pod.metadata.uid!, { pod, startedAt, ended: Promise.resolve(), overdue: false, timers: [] });
      this.#run(pod);
    };
    this.#binder = new Binder({ store: options.registry.store, pods: this.#pods, nodeName, capacity, clamp, onBound });
    mkdirSync(options.podsDir, { recursive: true });
  }

  /** Ends the processes of an earlier run (none is adopted), then accepts pods. */
  async start(): Promise<void> {
    await sweepRunner(this.#options.podsDir);
    this.#registry.store.transaction(() => {
      for (const pod of this.#registry.list(POD) as LivePod[]) {
        const ours = pod.spec?.nodeName === this.#options.nodeName;
        if (ours && !isTerminal(pod)) this.#pods.end(pod, lostStatus(pod, this.#pods.at()));
      }
    });
    const uids = new Set<string>();
    for (const pod of this.#registry.list(POD) as LivePod[]) {
      uids.add(pod.metadata.uid!);
      this.#observe(pod);
    }
    for (const uid of readdirSync(this.#options.podsDir)) {
      if (!uids.has(uid)) rmSync(this.#folder(uid), { recursive: true, force: true });
    }
    this.#registry.store.onCommit((changes) => {
      for (const change of changes) this.#onChange(change);
    });
  }

  /** Sends SIGTERM to every pod and SIGKILL after `graceMs`. The next start writes their status, as after a crash. */
  async stop(graceMs = 1500): Promise<void> {
    this.#stopped = true;
    this.#binder.stop();
    const live = [...this.#running.values()];
    for (const { process, timers } of live) {
      for (const timer of timers) clearTimeout(timer);
      process?.terminate();
    }
    const kill = setTimeout(() => {
      for (const { process } of live) process?.kill();
    }, graceMs);
    await Promise.allSettled(live.map(({ process }) => process?.exit));
    clearTimeout(kill);
    // The first process of a namespace has ended, but its children may still be ending.
    if (live.length > 0) await sweepRunner(this.#options.podsDir);
  }

  /** Serves GET …/log. */
  log(pod: Obj, params: URLSearchParams, response: ServerResponse): void {
    const uid = pod.metadata.uid!;
    if (!(pod as LivePod).spec?.nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
    mkdirSync(this.#folder(uid), { recursive: true });
    sendLog(response, { file: logFile(this.#folder(uid)), params, ended: this.#running.get(uid)?.ended });
  }

  #folder(uid: string): string {
    return join(this.#options.podsDir, uid);
  }

  #onChange({ kind, ns, name, object, deleted }: Change): void {
    if (kind === POD.id) {
      const pod = JSON.parse(object) as LivePod;
      if (deleted) this.#forget(pod.metadata.uid!);
      else this.#observe(pod);
    } else if (kind === CONFIG_MAP.id && !deleted) {
      for (const [uid, pod] of this.#unmounted) {
        const wanted = pod.spec?.volumes?.some(({ configMap }) => configMap?.name === name);
        if (!wanted || pod.metadata.namespace !== ns) continue;
        this.#unmounted.delete(uid);
        setImmediate(() => this.#run(pod));
      }
    }
  }

  #observe(pod: LivePod): void {
    const uid = pod.metadata.uid!;
    if (isTerminal(pod) || (pod.spec?.nodeName && pod.spec.nodeName !== this.#options.nodeName)) return;
    if (!pod.spec?.nodeName) {
      if (pod.metadata.deletionTimestamp) {
        // As PodGC does: it never ran, and a Job that waits for its end must see one.
        this.#binder.withdraw(uid);
        setImmediate(() => this.#stopped || this.#pods.write(pod, { phase: 'Failed' }));
      } else this.#binder.offer(pod);
    } else if (pod.metadata.deletionTimestamp) {
      const live = this.#running.get(uid);
      if (live) this.#end(live, pod.metadata.deletionGracePeriodSeconds ?? 0);
    }
  }

  /** Removes all traces of a deleted pod. */
  #forget(uid: string): void {
    this.#binder.withdraw(uid);
    const live = this.#running.get(uid);
    if (live) this.#end(live, 0);
    void (live?.ended ?? Promise.resolve()).then(() => rmSync(this.#folder(uid), { recursive: true, force: true }));
  }

  /** Starts the pod's process and follows it to its end. */
  #run(pod: LivePod): void {
    const live = this.#running.get(pod.metadata.uid!);
    if (!live || this.#stopped) return;
    live.ended = this.#follow(pod, live).catch((error: Error) => {
      if (this.#running.has(pod.metadata.uid!)) this.#finish(pod, live, 128, 'StartError', error.message);
    });
  }

  async #follow(pod: LivePod, live: Running): Promise<void> {
    const uid = pod.metadata.uid!;
    const folder = this.#folder(uid);
    const { storageDir, path, podsDir } = this.#options;
    const container = pod.spec!.containers[0]!;
    const configMap = (name: string) =>
      this.#registry.find(CONFIG_MAP, pod.metadata.namespace!, name)?.['data'] as Record<string, string> | undefined;
    let prepared: ReturnType<typeof preparePod>;
    try {
      prepared = preparePod(pod, { folder, storageDir, runner: podsDir, path, configMap });
    } catch (error) {
      if (!(error instanceof MountError)) throw error;
      this.#unmounted.set(uid, pod);
      this.#pods.write(pod, waitingStatus(pod, live.startedAt));
      this.#pods.warn(pod, 'FailedMount', error.message);
      return;
    }
    const missing = missingProgram(prepared.command[0], prepared.env['PATH']!);
    if (missing) throw new Error(missing);
    const killsBefore = outOfMemoryKills();
    const log = openSync(logFile(folder), 'a');
    try {
      live.process = startPodProcess(prepared.command, prepared.cwd, prepared.env, log);
    } finally {
      closeSync(log);
    }
    const { activeDeadlineSeconds, terminationGracePeriodSeconds = 30 } = pod.spec!;
    if (activeDeadlineSeconds !== undefined) {
      const overdue = () => {
        live.overdue = true;
        this.#end(live, terminationGracePeriodSeconds);
      };
      live.timers.push(setTimeout(overdue, Math.min(activeDeadlineSeconds * 1000, TIMER_MAX_MS)));
    }
    this.#pods.write(pod, runningStatus(pod, live.startedAt));
    const code = await live.process.exit;
    const fallback = code !== 0 && container.terminationMessagePolicy === 'FallbackToLogsOnError';
    const message = terminationMessage(logFile(folder), terminationFile(folder), fallback);
    const starved = code === 137 && !live.ending && outOfMemoryKills() > killsBefore;
    const reason = starved ? 'OOMKilled' : code === 0 ? 'Completed' : 'Error';
    if (!this.#stopped) this.#finish(pod, live, code, reason, message);
  }

  #finish(pod: LivePod, live: Running, exitCode: number, reason: string, message = ''): void {
    const uid = pod.metadata.uid!;
    for (const timer of live.timers) clearTimeout(timer);
    this.#running.delete(uid);
    const { startedAt, overdue } = live;
    const end = { exitCode, reason, ...(message && { message }), startedAt, finishedAt: this.#pods.at(), overdue };
    this.#registry.store.transaction(() => this.#pods.end(pod, endedStatus(pod, end)));
    rmSync(join(this.#folder(uid), 'tmp'), { recursive: true, force: true });
    this.#binder.release(pod);
  }

  #end(live: Running, graceSeconds: number): void {
    if (!live.process) {
      // The pod was bound but never started, so there is nothing to wait for.
      if (this.#unmounted.delete(live.pod.metadata.uid!))
        setImmediate(() => this.#finish(live.pod, live, 137, 'Error'));
      return;
    }
    const { process } = live;
    live.ending = true;
    if (graceSeconds === 0) {
      process.kill();
      return;
    }
    process.terminate();
    live.timers.push(setTimeout(() => process.kill(), graceSeconds * 1000));
  }
}
