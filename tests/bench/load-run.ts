/** One run of many tasks, and one of the same Jobs made by a plain client. */
import type { KubeHttp, KubeObject } from '../cluster/kube-http.ts';
import { collection } from '../kubernetes-contract/builders.ts';
import { counterOf, follow, hasEnded, jobsPath, makeMany, Progress, STEPS, tasksOf } from './load-world.ts';

export interface TaskRun {
  tasks: number;
  samples: number;
  seconds: number;
  /** Jobs with the same step and attempt as another Job, and attempts after the first. None is expected. */
  duplicates: number;
  /** Our writes as counted by the API server, by resource. Without events, which others write too. */
  writes: Record<string, number>;
  /** Events that the operator reports to have written. */
  events: number;
  /** Jobs without a time to live. The operator sets it when half of it has passed, with one write each. */
  unexpired: number;
  /** ms from the watch event of a Job's end to the watch event of the status that records it. */
  toStatus: number[];
  /** ms from the end of a Job to the next Job of its task. */
  toNextJob: number[];
  /** ms from the end of a Job's last pod to the end of the Job, which is the Job controller's time. */
  ofJobController: number[];
}

/** Resources that only the operator writes in the bench. */
const OURS = [
  { verb: 'POST', resource: 'jobs', subresource: '' },
  { verb: 'PATCH', resource: 'jobs', subresource: '' },
  { verb: 'DELETE', resource: 'jobs', subresource: '' },
  { verb: 'POST', resource: 'configmaps', subresource: '' },
  { verb: 'PUT', resource: 'analysistasks', subresource: 'status' },
];

async function writesOf(kube: KubeHttp): Promise<Record<string, number>> {
  const text: string = (await kube.call('GET', '/metrics')).body;
  return Object.fromEntries(
    OURS.map((labels) => [
      `${labels.verb} ${labels.resource}${labels.subresource && '/status'}`,
      counterOf(text, 'apiserver_request_total', labels),
    ]),
  );
}

const eventsOf = async (metrics: string): Promise<number> =>
  counterOf(await (await fetch(metrics)).text(), 'seqpanel_operator_writes_total', {
    verb: 'create',
    resource: 'events',
  });

const taskOf = ({ metadata }: KubeObject): string => metadata.labels?.['seqpanel.dev/task'] ?? '';
const isPodOver = ({ status }: KubeObject): boolean => ['Succeeded', 'Failed'].includes(status?.phase);

/** Creates all tasks and waits until they are completed. Throws when nothing ends for five minutes. */
export async function runTasks(
  kube: KubeHttp,
  namespace: string,
  metrics: string,
  count: number,
  samples: number,
): Promise<TaskRun> {
  const progress = new Progress('tasks', count);
  const run = { toStatus: [] as number[], toNextJob: [] as number[], ofJobController: [] as number[] };
  /** The last ended step of a task and its time. */
  const ends = new Map<string, { step: string; at: number }>();
  /** Ends of steps, as task/step, that only one of the two watches has reported. */
  const untold = new Map<string, number>();
  const pair = (key: string, event: 'end' | 'status', at: number) => {
    const other = untold.get(`${key} ${event === 'end' ? 'status' : 'end'}`);
    if (other === undefined) untold.set(`${key} ${event}`, at);
    else run.toStatus.push(Math.max(0, event === 'status' ? at - other : other - at));
  };
  const podEnds = new Map<string, number>();
  const jobNames = new Map<string, number>();
  const over = new Set<string>();

  const onJob = (type: string, job: KubeObject, at: number) => {
    const task = taskOf(job);
    if (type === 'ADDED') {
      const { 'seqpanel.dev/step': step } = job.metadata.labels;
      jobNames.set(`${task}/${step}`, (jobNames.get(`${task}/${step}`) ?? 0) + 1);
      const end = ends.get(task);
      if (end && end.step !== step) run.toNextJob.push(at - end.at);
    } else if (type === 'MODIFIED' && hasEnded(job) && !over.has(job.metadata.uid)) {
      over.add(job.metadata.uid);
      const { 'seqpanel.dev/step': step } = job.metadata.labels;
      ends.set(task, { step, at });
      pair(`${task}/${step}`, 'end', at);
      const last = podEnds.get(job.metadata.name);
      if (last !== undefined) run.ofJobController.push(at - last);
    }
  };
  const onPod = (_: string, pod: KubeObject, at: number) => {
    const job = pod.metadata.labels?.['batch.kubernetes.io/job-name'];
    // Only the first event with the end counts. Later ones remove the finalizer.
    if (!isPodOver(pod) || !job || over.has(pod.metadata.uid)) return;
    over.add(pod.metadata.uid);
    podEnds.set(job, at);
  };
  const onTask = (_: string, task: KubeObject, at: number) => {
    const { name } = task.metadata;
    const steps: KubeObject[] = task.status?.stages?.flatMap((stage: KubeObject) => stage.steps ?? []) ?? [];
    for (const { name: step, state } of steps) {
      const key = `${name}/${step}`;
      if (state !== 'Succeeded' || over.has(key)) continue;
      over.add(key);
      pair(key, 'status', at);
    }
    if (task.status?.phase === 'Completed') progress.count(name);
    else if (['Failed', 'Aborted'].includes(task.status?.phase)) process.stderr.write(`${name} ${task.status.phase}\n`);
  };

  const stops = await Promise.all([
    follow(kube, jobsPath(namespace), onJob),
    follow(kube, `/api/v1/namespaces/${namespace}/pods`, onPod),
    follow(kube, collection('AnalysisTask', namespace), onTask),
  ]);
  const [writesBefore, eventsBefore] = [await writesOf(kube), await eventsOf(metrics)];
  const begin = performance.now();
  try {
    await Promise.all([makeMany(kube, collection('AnalysisTask', namespace), tasksOf(count, samples)), progress.done]);
  } finally {
    for (const stop of stops) stop();
  }
  const seconds = (performance.now() - begin) / 1000;
  const writesAfter = await writesOf(kube);
  const { items: jobs } = (await kube.get(jobsPath(namespace))) as { items: KubeObject[] };
  return {
    ...run,
    tasks: count,
    samples,
    seconds,
    duplicates: [...jobNames.values()].reduce((sum, made) => sum + made - 1, 0),
    writes: Object.fromEntries(Object.entries(writesAfter).map(([what, n]) => [what, n - writesBefore[what]!])),
    events: (await eventsOf(metrics)) - eventsBefore,
    unexpired: jobs.filter(({ spec }) => spec.ttlSecondsAfterFinished === undefined).length,
  };
}

/**
 * Creates Jobs like those of a task, without an operator: all at once, with only the right to create Jobs, and watched
 * like those of tasks. Returns Jobs a second.
 */
export async function runPlainJobs(
  { admin, client }: { admin: KubeHttp; client: KubeHttp },
  namespace: string,
  like: readonly KubeObject[],
  count: number,
): Promise<number> {
  const progress = new Progress('plain Jobs', count);
  const stops = await Promise.all([
    follow(admin, jobsPath(namespace), (_, job) => {
      if (hasEnded(job)) progress.count(job.metadata.name);
    }),
    follow(admin, `/api/v1/namespaces/${namespace}/pods`, () => undefined),
  ]);
  const jobs = Array.from({ length: count }, (_, i) => plainJob(`plain-${i}`, like[i % like.length]!));
  const begin = performance.now();
  try {
    await Promise.all([makeMany(client, jobsPath(namespace), jobs), progress.done]);
  } finally {
    for (const stop of stops) stop();
  }
  return count / ((performance.now() - begin) / 1000);
}

/** Returns the Job as a client would create it. */
function plainJob(name: string, { metadata, spec }: KubeObject): KubeObject {
  const { selector: _selector, ttlSecondsAfterFinished: _ttl, ...rest } = spec;
  const { labels, annotations } = spec.template.metadata;
  const own = Object.entries(labels).filter(([label]) => !/job-name|controller-uid/.test(label));
  const template = { ...spec.template, metadata: { labels: Object.fromEntries(own), annotations } };
  const { ownerReferences } = metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels: metadata.labels, ownerReferences },
    spec: { ...rest, template },
  };
}

/** Returns the Jobs that the operator created for one task, to copy them. */
export async function jobsOfOneTask(kube: KubeHttp, namespace: string): Promise<KubeObject[]> {
  const { items } = await kube.get(jobsPath(namespace));
  if (items.length !== STEPS.length) throw new Error(`${items.length} Jobs of one task instead of ${STEPS.length}`);
  return items;
}
