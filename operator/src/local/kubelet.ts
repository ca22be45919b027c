/** Scheduler and kubelet of the one node, this machine: pods become processes, processes become pod status. */

import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { delimiter, join } from 'node:path';
import type { ContainerState, CoreCondition, Pod } from '@seqpanel/crds/kube/core-types.ts';
import { TERMINATION_MESSAGE_MAX_BYTES } from '@seqpanel/crds/step-contract.ts';
import { recordEvent } from './events.ts';
import type { Obj } from './metadata.ts';
import { logFile, MountError, preparePod, terminationFile } from './pod-files.ts';
import { sendLog, tailOffset } from './pod-logs.ts';
import { type PodProcess, startPodProcess, sweepRunner } from './pod-process.ts';
import { type Registry, timestamp } from './registry.ts';
import { CONFIG_MAP, POD } from './resources.ts';
import { place, requestOf, type Size } from './scheduler.ts';
import { ApiError, badRequest } from './status.ts';
import type { Change } from './store.ts';

type LivePod = Obj & Pod;

interface Running {
  pod: LivePod;
  startedAt: string;
  process?: PodProcess;
  ended: Promise<void>;
  /** The pod's own deadline ended it. */
  overdue: boolean;
  timers: NodeJS.Timeout[];
}

export interface KubeletOptions {
  registry: Registry;
  nodeName: string;
  podsDir: string;
  storageDir: string;
  path: string[];
  capacity: Size;
  /** A pod that asks for more than the machine has gets the machine. */
  clamp: boolean;
}

const COMPONENT = 'kubelet';
/** kubelet: FallbackToLogsOnError takes the last 80 lines or 2 KiB. */
const FALLBACK_LINES = 80;
const FALLBACK_BYTES = 2048;
const isTerminal = (pod: Pod) => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #registry: Registry;
  readonly #waiting = new Map<string, LivePod>();
  readonly #running = new Map<string, Running>();
  readonly #unmounted = new Map<string, LivePod>();
  readonly #used: Size = { cpu: 0, memory: 0 };
  #scheduled = false;
  #stopped = false;

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#registry = options.registry;
    mkdirSync(options.podsDir, { recursive: true });
  }

  /** Ends what an earlier run left (nothing is adopted), then takes pods. */
  async start(): Promise<void> {
    await sweepRunner(this.#options.podsDir);
    this.#registry.store.transaction(() => {
      for (const pod of this.#registry.list(POD) as LivePod[]) this.#lost(pod);
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
    this.#schedule();
  }

  /** SIGTERM to every pod, SIGKILL after `graceMs`; their status is written by the next start, as after a crash. */
  async stop(graceMs = 1500): Promise<void> {
    this.#stopped = true;
    const live = [...this.#running.values()];
    for (const { process, timers } of live) {
      for (const timer of timers) clearTimeout(timer);
      process?.terminate();
    }
    const kill = setTimeout(() => {
      for (const { process } of live) process?.kill();
    }, graceMs);
    await Promise.all(live.map(({ process }) => process?.exit));
    clearTimeout(kill);
  }

  /** Answers GET …/log. */
  log(pod: Obj, params: URLSearchParams, response: ServerResponse): void {
    const uid = pod.metadata.uid!;
    if (!(pod as LivePod).spec?.nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
    mkdirSync(this.#folder(uid), { recursive: true });
    sendLog(response, { file: logFile(this.#folder(uid)), params, ended: this.#running.get(uid)?.ended });
  }

  #request(pod: Pod): Size {
    return requestOf(pod, this.#options.clamp ? this.#options.capacity : undefined);
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
        this.#waiting.delete(uid);
        setImmediate(() => this.#stopped || this.#write(pod, { phase: 'Failed' }));
      } else this.#waiting.set(uid, pod);
      this.#schedule();
    } else if (pod.metadata.deletionTimestamp) {
      const live = this.#running.get(uid);
      if (live) this.#end(live, pod.metadata.deletionGracePeriodSeconds ?? 0);
    }
  }

  /** The object is gone: so is everything of it. */
  #forget(uid: string): void {
    this.#waiting.delete(uid);
    const live = this.#running.get(uid);
    if (live) this.#end(live, 0);
    void (live?.ended ?? Promise.resolve()).then(() => rmSync(this.#folder(uid), { recursive: true, force: true }));
  }

  #schedule(): void {
    if (this.#scheduled || this.#stopped || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#stopped) return;
      const { fits, waits } = place(
        [...this.#waiting.values()],
        this.#used,
        this.#options.capacity,
        this.#options.clamp,
      );
      const bound = this.#registry.store.transaction(() => {
        for (const { pod, message } of waits) this.#unschedulable(pod, message);
        return fits.map((pod) => this.#bind(pod)).filter((pod) => pod !== undefined);
      });
      for (const pod of bound) this.#run(pod);
    });
  }

  #unschedulable(pod: LivePod, message: string): void {
    const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (known?.reason === 'Unschedulable' && known.message === message) return;
    const written = this.#write(pod, {
      conditions: [this.#condition('PodScheduled', false, 'Unschedulable', message)],
    });
    if (written) this.#event(written, 'Warning', 'FailedScheduling', message);
  }

  #bind(pod: LivePod): LivePod | undefined {
    const uid = pod.metadata.uid!;
    this.#waiting.delete(uid);
    const current = this.#current(pod);
    if (!current || current.metadata.deletionTimestamp) return undefined;
    const size = this.#request(pod);
    this.#used.cpu += size.cpu;
    this.#used.memory += size.memory;
    const status = { ...current.status, conditions: [this.#condition('PodScheduled', true)] };
    const next = {
      ...current,
      metadata: { ...current.metadata },
      spec: { ...current.spec!, nodeName: this.#options.nodeName },
      status,
    };
    const bound = this.#registry.put(POD, current, next as Obj) as LivePod;
    const startedAt = timestamp(this.#registry.now());
    this.#running.set(uid, { pod: bound, startedAt, ended: Promise.resolve(), overdue: false, timers: [] });
    return bound;
  }

  /** Starts the process and follows it to its end. */
  #run(pod: LivePod): void {
    const live = this.#running.get(pod.metadata.uid!);
    if (!live || this.#stopped) return;
    live.ended = this.#follow(pod, live).catch((error: unknown) => {
      console.error(`pod ${pod.metadata.namespace}/${pod.metadata.name}:`, error);
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
      this.#write(pod, {
        startTime: live.startedAt,
        containerStatuses: [containerStatus(pod, { waiting: { reason: 'ContainerCreating' } })],
      });
      this.#event(pod, 'Warning', 'FailedMount', error.message);
      return;
    }
    const missing = missingProgram(prepared.command[0], prepared.env['PATH']!);
    if (missing) return this.#finish(pod, live, 128, { reason: 'StartError', message: missing });
    const log = openSync(logFile(folder), 'a');
    try {
      live.process = startPodProcess(prepared.command, prepared.cwd, prepared.env, log);
    } finally {
      closeSync(log);
    }
    const grace = pod.spec?.terminationGracePeriodSeconds ?? 30;
    const deadline = pod.spec?.activeDeadlineSeconds;
    if (deadline !== undefined) {
      live.timers.push(
        setTimeout(
          () => {
            live.overdue = true;
            this.#end(live, grace);
          },
          Math.min(deadline * 1000, 2 ** 31 - 1),
        ),
      );
    }
    const ready = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'].map((type) =>
      this.#condition(type, true),
    );
    this.#write(pod, {
      phase: 'Running',
      startTime: live.startedAt,
      conditions: ready,
      containerStatuses: [containerStatus(pod, { running: { startedAt: live.startedAt } }, true)],
    });
    const code = await live.process.exit;
    const message = terminationMessage(
      folder,
      code !== 0 && container.terminationMessagePolicy === 'FallbackToLogsOnError',
    );
    if (!this.#stopped)
      this.#finish(pod, live, code, { reason: code === 0 ? 'Completed' : 'Error', ...(message && { message }) });
  }

  #finish(pod: LivePod, live: Running, exitCode: number, what: { reason: string; message?: string }): void {
    const uid = pod.metadata.uid!;
    for (const timer of live.timers) clearTimeout(timer);
    this.#running.delete(uid);
    const size = this.#request(pod);
    this.#used.cpu -= size.cpu;
    this.#used.memory -= size.memory;
    const failed = exitCode !== 0 || live.overdue;
    const terminated = { exitCode, ...what, startedAt: live.startedAt, finishedAt: timestamp(this.#registry.now()) };
    const reason = failed ? 'PodFailed' : 'PodCompleted';
    this.#registry.store.transaction(() => {
      const written = this.#write(pod, {
        phase: failed ? 'Failed' : 'Succeeded',
        startTime: live.startedAt,
        ...(live.overdue && {
          reason: 'DeadlineExceeded',
          message: 'Pod was active on the node longer than the specified deadline',
        }),
        conditions: [
          this.#condition('PodReadyToStartContainers', false),
          this.#condition('Initialized', true, failed ? undefined : 'PodCompleted'),
          this.#condition('Ready', false, reason),
          this.#condition('ContainersReady', false, reason),
        ],
        containerStatuses: [containerStatus(pod, { terminated })],
      });
      // A pod that was deleted while it ran is taken away by its kubelet.
      if (written?.metadata.deletionTimestamp) this.#remove(written);
    });
    rmSync(join(this.#folder(uid), 'tmp'), { recursive: true, force: true });
    this.#schedule();
  }

  #end(live: Running, graceSeconds: number): void {
    if (!live.process) {
      // Bound, but never started: nothing has to be waited for.
      if (this.#unmounted.delete(live.pod.metadata.uid!))
        setImmediate(() => this.#finish(live.pod, live, 137, { reason: 'Error' }));
      return;
    }
    const { process } = live;
    if (graceSeconds === 0) {
      process.kill();
      return;
    }
    process.terminate();
    live.timers.push(setTimeout(() => process.kill(), graceSeconds * 1000));
  }

  /** A pod that was on this node when the runner ended: its processes are gone. */
  #lost(pod: LivePod): void {
    if (isTerminal(pod) || pod.spec?.nodeName !== this.#options.nodeName) return;
    const message = 'The local control plane was restarted';
    const now = timestamp(this.#registry.now());
    const written = this.#write(pod, {
      phase: 'Failed',
      reason: 'Terminated',
      message,
      conditions: [
        this.#condition('DisruptionTarget', true, 'TerminationByKubelet', message),
        this.#condition('Ready', false, 'PodFailed'),
        this.#condition('ContainersReady', false, 'PodFailed'),
      ],
      containerStatuses: [
        containerStatus(pod, {
          terminated: {
            exitCode: 137,
            reason: 'ContainerStatusUnknown',
            message: 'The container could not be located when the pod was terminated',
            finishedAt: now,
          },
        }),
      ],
    });
    if (written?.metadata.deletionTimestamp) this.#remove(written);
  }

  #remove({ metadata }: Obj): void {
    try {
      this.#registry.delete(POD, metadata.namespace!, metadata.name!, {
        gracePeriodSeconds: 0,
        preconditions: { uid: metadata.uid! },
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  #current(pod: LivePod): LivePod | undefined {
    const current = this.#registry.find(POD, pod.metadata.namespace!, pod.metadata.name!) as LivePod | undefined;
    return current?.metadata.uid === pod.metadata.uid ? current : undefined;
  }

  /** Merges into the pod's status as it is now; conditions by their type. */
  #write(pod: LivePod, change: NonNullable<Pod['status']>): LivePod | undefined {
    const current = this.#current(pod);
    if (!current) return undefined;
    const conditions = [...(current.status?.conditions ?? [])];
    for (const one of change.conditions ?? []) {
      const i = conditions.findIndex(({ type }) => type === one.type);
      if (i < 0) conditions.push(one);
      else if (conditions[i]!.status === one.status)
        conditions[i] = { ...one, lastTransitionTime: conditions[i]!.lastTransitionTime! };
      else conditions[i] = one;
    }
    const next = {
      ...current,
      metadata: { ...current.metadata },
      status: { ...current.status, ...change, conditions },
    };
    return this.#registry.put(POD, current, next as Obj) as LivePod;
  }

  #condition(type: string, status: boolean, reason?: string, message?: string): CoreCondition {
    const at = timestamp(this.#registry.now());
    return {
      type,
      status: status ? 'True' : 'False',
      lastTransitionTime: at,
      ...(reason && { reason }),
      ...(message && { message }),
    };
  }

  #event(pod: Obj, type: 'Normal' | 'Warning', reason: string, message: string): void {
    recordEvent(this.#registry, COMPONENT, { type: POD, object: pod }, { type, reason, message });
  }
}

function containerStatus(pod: Pod, state: ContainerState, ready = false) {
  const { name, image } = pod.spec!.containers[0]!;
  return { name, image, imageID: '', restartCount: 0, ready, started: ready, state, lastState: {} };
}

/** The file's text, else the end of the log when the policy and the exit code ask for it. */
function terminationMessage(folder: string, fallback: boolean): string {
  let text = '';
  try {
    text = readFileSync(terminationFile(folder)).subarray(0, TERMINATION_MESSAGE_MAX_BYTES).toString();
  } catch {
    // it wrote none
  }
  if (text || !fallback) return text;
  const file = logFile(folder);
  const { size } = statSync(file);
  const fd = openSync(file, 'r');
  try {
    const from = Math.max(tailOffset(fd, size, FALLBACK_LINES), size - FALLBACK_BYTES);
    const buffer = Buffer.alloc(size - from);
    readSync(fd, buffer, 0, buffer.length, from);
    return buffer.toString();
  } finally {
    closeSync(fd);
  }
}

function missingProgram(program: string | undefined, path: string): string | undefined {
  if (!program) return 'no command given: the local control plane runs no images';
  const places = program.includes('/') ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  const found = places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  return found ? undefined : `exec: "${program}": executable file not found in $PATH`;
}
