/** Finished AnalysisTasks as retained by an installation, and the memory of a process that follows them. */
import { readFileSync } from 'node:fs';
import type { KubeObject } from '../cluster/kube-http.ts';
import { aSample, aTask } from '../kubernetes-contract/builders.ts';

/** 60 % of the chart's limit of 512 MiB, as in operator/Dockerfile. */
export const OPERATOR_NODE_OPTIONS =
  '--disable-warning=ExperimentalWarning --max-old-space-size=307 --max-semi-space-size=4';

const STAGES = [
  ['secondary', ['reads', 'cohort', 'call', 'joint']],
  ['annotation', ['annotation']],
  ['post-filter', ['post-filter']],
  ['qc', ['qc']],
  ['report', ['report']],
] as const;

/** Returns a task of `samples` samples, completed and ingested a minute ago, so that no work is due. */
export function retainedTask(name: string, samples: number): KubeObject {
  const at = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, '');
  const times = { started: at, finished: at };
  const condition = (type: string) => ({
    ...{ type, status: 'True', observedGeneration: 1, lastTransitionTime: at },
    ...{ reason: type, message: `${samples} of ${samples} samples are done.` },
  });
  const counts = { total: samples, done: samples, failed: 0, finished: `0-${samples - 1}` };
  const stepOf = (step: string) => ({
    ...{ name: step, job: `${name}-${step}-1`, attempt: 1, state: 'Succeeded', ...times },
    ...(['reads', 'call'].includes(step) && { samples: counts }),
  });
  const task = aTask(name, { samples: Array.from({ length: samples }, (_, i) => aSample(`Sample-${i + 1}`)) });
  return {
    ...task,
    metadata: { ...task.metadata, annotations: { 'seqpanel.dev/ingested': 'f'.repeat(64) } },
    status: {
      ...{ phase: 'Completed', revision: 20, observedGeneration: 1, stage: 'report', ...times },
      stages: STAGES.map(([stage, steps]) => ({ name: stage, state: 'Succeeded', ...times, steps: steps.map(stepOf) })),
      samples: { total: samples, incomplete: 0 },
      conditions: ['Accepted', 'Progressing', 'Complete', 'Ingested'].map(condition),
    },
  };
}

/** Returns the current and highest resident memory of a process in MB. */
export function residentMb(pid: number): { now: number; highest: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (field: string): number =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024);
  return { now: mb('VmRSS'), highest: mb('VmHWM') };
}
