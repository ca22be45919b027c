/**
 * Measures the operator's reaction: from the watch event of a Job's end received to the create of the next Job
 * answered, with a busy loop on every processor at
 * the niceness that steps have. Run it: `node operator/src/testing/reaction.ts [transitions]`.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startWorld } from './world.ts';

/** Steps of the shipped pipeline; the first has no Job before it. */
const TRANSITIONS_PER_TASK = 7;

export interface Reaction {
  transitions: number;
  /** Share answered within 250 ms. */
  within250: number;
  meanMs: number;
}

export async function measureReaction(transitions: number, busy = availableParallelism()): Promise<Reaction> {
  const world = await startWorld();
  const loops: ChildProcess[] = [];
  const operator = spawn(process.execPath, [join(import.meta.dirname, '..', 'main.ts')], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      KUBECONFIG: join(world.dir, 'kubeconfig'),
      SEQPANEL_NAMESPACE: 'test',
      SEQPANEL_METRICS_PORT: '0',
      SEQPANEL_PARENT: 'stdin',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const port = await new Promise<number>((resolve) => {
      operator.stdout.setEncoding('utf8').on('data', (text: string) => {
        const found = /"port":(\d+)/.exec(text)?.[1];
        if (found) resolve(Number(found));
      });
    });
    for (let i = 0; i < busy; i++) loops.push(spawn('nice', ['-n', '10', process.execPath, '-e', 'for(;;);']));
    await world.applyPipeline();
    const tasks = Array.from({ length: Math.ceil(transitions / TRANSITIONS_PER_TASK) }, (_, i) => `t${i}`);
    // A few at a time, as in a laboratory; all at once would measure the queue of the pods.
    for (let i = 0; i < tasks.length; i += 4) {
      const some = tasks.slice(i, i + 4);
      for (const task of some) await world.applyTask(task, ['A']);
      await Promise.all(some.map((task) => world.untilPhase(task, 'Completed', 'Failed')));
    }
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const value = (name: string): number =>
      Number(
        metrics
          .split('\n')
          .find((line) => line.startsWith(`seqpanel_operator_reaction_seconds${name} `))
          ?.split(' ')[1],
      );
    const count = value('_count');
    return {
      transitions: count,
      within250: value('_bucket{le="0.25"}') / count,
      meanMs: (value('_sum') / count) * 1000,
    };
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
    operator.stdin.end();
    await once(operator, 'exit');
    await world.stop();
  }
}

if (import.meta.main) console.log(await measureReaction(Number(process.argv[2] ?? 200)));
