import { setTimeout as wait } from 'node:timers/promises';
import { API, type RestClient } from './rest-client.ts';

/** The fields of a task that the terminal shows. */
export interface FollowedTask {
  id: string;
  name: string;
  status: string;
  stage: string | null;
  reason: string | null;
  samples: { total: number; done: number; failed: number };
  stages: {
    name: string;
    state: string;
    steps: { name: string; state: string; samples?: { total: number; done: number; failed: number } | null }[];
  }[];
  failures: { sample: string | null; step: string | null; message: string }[];
}

const FINISHED = new Set(['completed', 'failed', 'aborted']);

/** Returns one line: stage, step, finished samples, elapsed time. */
export function progressLine(task: FollowedTask, elapsedSeconds: number): string {
  const stage = task.stages.find((candidate) => candidate.name === task.stage);
  const step =
    stage?.steps.find((candidate) => candidate.state === 'Running') ??
    stage?.steps.find((candidate) => candidate.state === 'Pending');
  const samples = step?.samples;
  const parts = [
    `${task.status}`,
    task.stage
      ? `stage ${task.stages.findIndex((candidate) => candidate.name === task.stage) + 1} of ${task.stages.length} ${task.stage}`
      : 'waiting to start',
    step ? `step ${step.name}${samples && samples.total > 1 ? ` ${samples.done}/${samples.total} samples` : ''}` : '',
    task.samples.failed > 0 ? `${task.samples.failed} failed` : '',
    `${elapsedSeconds} s`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Polls the task until it is finished and passes each new line to `show`. */
export async function followTask(
  client: RestClient,
  group: string,
  id: string,
  show: (line: string) => void,
  signal?: AbortSignal,
): Promise<FollowedTask> {
  const started = Date.now();
  for (;;) {
    const task = await client.get<FollowedTask>(`${API}/${group}/tasks/${id}`);
    show(progressLine(task, Math.round((Date.now() - started) / 1000)));
    if (FINISHED.has(task.status)) return task;
    await wait(500, undefined, { signal });
  }
}
