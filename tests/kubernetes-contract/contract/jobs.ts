/** Behaviour of Jobs: each recorded case is replayed and must reach the recorded states. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../../cluster/kube-http.ts';
import { JOB_CASES } from '../jobs/cases.ts';
import type { JobCase, JobFixture } from '../jobs/job-case.ts';
import { JobStage } from '../jobs/job-stage.ts';
import type { JobState } from '../jobs/job-state.ts';
import type { Server } from '../server.ts';

/** Longer than the back-off of an index (10 s) plus a grace period on a busy machine. */
const STATE_SECONDS = 40;

interface Played {
  steps: JobFixture['steps'];
  conditions: unknown[];
}

/** Returns the distinct lists of conditions in order, because the order of these writes is guaranteed. */
function conditionsOf(sequence: Record<string, unknown>[]): unknown[] {
  const lists = sequence.map(({ conditions }) => conditions);
  return lists.filter((list, i) => i === 0 || !isDeepStrictEqual(list, lists[i - 1]));
}

const NAMES = JOB_CASES.map(({ name }) => name);
const fixtureOf = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../fixtures/jobs/${name}.json`), 'utf8')) as JobFixture;

async function play(server: Server, { name, steps }: JobCase): Promise<Played> {
  const fixture = fixtureOf(name);
  const stage = new JobStage(server().kube, `contract-jobs-${name}`);
  const reached: JobFixture['steps'] = [];
  try {
    await stage.open();
    for (const [i, { does, act }] of steps.entries()) {
      const expected = fixture.steps[i]?.state as JobState;
      await act(stage);
      await eventually(does, async () => isDeepStrictEqual(stage.state(), expected), STATE_SECONDS).catch(
        () => undefined,
      );
      reached.push({ does, state: stage.state() });
      if (!isDeepStrictEqual(stage.state(), expected)) break; // the comparison shows the difference
    }
    return { steps: reached, conditions: conditionsOf(stage.sequence) };
  } finally {
    await stage.close();
  }
}

export function jobsContract(server: Server): void {
  describe('Jobs', () => {
    const played = new Map<string, Promise<Played>>();

    // All in parallel, because each mostly waits for back-offs and grace periods.
    beforeAll(() => {
      for (const jobCase of JOB_CASES) {
        const course = play(server, jobCase);
        course.catch(() => undefined); // reported by the test of the case
        played.set(jobCase.name, course);
      }
    });

    test.each(NAMES)(
      '[K8S-20] %s reaches the states recorded from Kubernetes',
      async (name) => {
        const { steps, conditions } = await played.get(name)!;
        const fixture = fixtureOf(name);
        expect(steps).toEqual(fixture.steps);
        expect(conditions).toEqual(conditionsOf(fixture.sequence));
      },
      200_000,
    );
  });
}
