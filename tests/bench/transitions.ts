/** Measures the time from the end of a Job to the next Job of its task, for tasks whose pods kwok simulates. */
import { eventually, type KubeHttp, type KubeObject } from '../cluster/kube-http.ts';
import { aSample, aTask, collection, FULL } from '../kubernetes-contract/builders.ts';

export const NS = 'seqpanel';
export const STEPS = ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc', 'report'];

/** Returns the smallest upper bound, in ms, of a histogram with at least the share `q` of the values below. */
export function histogramBound(text: string, name: string, q: number): { bound: number; count: number } {
  const buckets = [...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"[^}]*\\} (\\d+)`, 'gm'))];
  const count = Number(buckets.at(-1)?.[2] ?? 0);
  const hit = buckets.find(([, , cumulative]) => Number(cumulative) >= q * count);
  return { bound: Number(hit?.[1] === '+Inf' ? Number.POSITIVE_INFINITY : hit?.[1]) * 1000, count };
}

export interface Transition {
  /** The Job that ended. */
  from: string;
  ms: number;
}

/** Watches the Jobs of the namespace. Reports the milliseconds from each end to the next Job of the same task. */
export function watchTransitions(kube: KubeHttp): Transition[] {
  const ends = new Map<string, { job: string; at: number }>();
  const seen = new Set<string>();
  const transitions: Transition[] = [];
  const watch = kube.watch(`/apis/batch/v1/namespaces/${NS}/jobs?watch=true`);
  void (async () => {
    for await (const { type, object } of watch.events) {
      const task = object.metadata.labels?.['seqpanel.dev/task'] as string;
      const now = performance.now();
      if (type === 'ADDED') {
        const end = ends.get(task);
        if (end) transitions.push({ from: end.job, ms: now - end.at });
        ends.delete(task);
      } else if (!seen.has(object.metadata.uid) && hasEnded(object)) {
        seen.add(object.metadata.uid);
        ends.set(task, { job: object.metadata.name, at: now });
      }
    }
  })().catch(() => undefined);
  return transitions;
}

const hasEnded = (job: KubeObject) =>
  (job.status?.conditions ?? []).some(
    (c: KubeObject) => ['Complete', 'Failed'].includes(c.type) && c.status === 'True',
  );

export function playedPipeline(): KubeObject {
  const pipeline = FULL['Pipeline']!('bench');
  const step = pipeline.spec.stages[0].steps[0];
  const made = (name: string) => ({ ...step, name, scope: ['reads', 'call'].includes(name) ? 'sample' : 'task' });
  for (const stage of pipeline.spec.stages) {
    stage.steps = stage.name === 'secondary' ? STEPS.slice(0, 4).map(made) : [made(stage.name)];
  }
  return pipeline;
}

async function runTask(kube: KubeHttp, name: string): Promise<void> {
  const samples = [1, 2, 3].map((i) => aSample(`S${i}`));
  const pipeline = { name: 'bench-1.0.0', version: '1.0.0' };
  await kube.create(collection('AnalysisTask', NS), aTask(name, { pipeline, samples }));
  const phase = await eventually(
    `${name} ended`,
    async () => {
      const { status } = await kube.get(`${collection('AnalysisTask', NS)}/${name}`);
      return ['Completed', 'Failed'].includes(status?.phase) && (status.phase as string);
    },
    120,
  );
  if (phase !== 'Completed') throw new Error(`${name} ended ${phase}`);
}

/** Runs tasks, a limited number in parallel. Resolves when all are completed. */
export async function runTasks(kube: KubeHttp, tasks: number, atOnce: number): Promise<void> {
  const names = Array.from({ length: tasks }, (_, i) => `bench-${i}`);
  const lane = async () => {
    for (let name = names.pop(); name; name = names.pop()) await runTask(kube, name);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
