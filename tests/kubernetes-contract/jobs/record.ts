/**
 * Records fixtures/jobs/*.json from the real control plane: `npm run record -w tests [name …]`. Runs all cases in
 * parallel, each in its own namespace. Records a state when the case's condition holds and nothing has changed for a
 * while.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCommandKubelet } from '../../cluster/command-kubelet.ts';
import { startControlPlane } from '../../cluster/control-plane.ts';
import { eventually, type KubeHttp } from '../../cluster/kube-http.ts';
import { JOB_CASES } from './cases.ts';
import type { JobCase, JobFixture } from './job-case.ts';
import { JobStage } from './job-stage.ts';

/** Longer than any pause between related writes, but shorter than the back-off of an index (10 s). */
const QUIET_MS = 1500;

async function record(kube: KubeHttp, version: string, jobCase: JobCase): Promise<JobFixture> {
  const stage = new JobStage(kube, `contract-${jobCase.name}`);
  const steps: JobFixture['steps'] = [];
  try {
    await stage.open();
    for (const { does, act, until } of jobCase.steps) {
      await act(stage);
      await eventually(`${jobCase.name}: ${does}`, async () => until(stage.state()), 40).catch((error) => {
        throw new Error(`${error.message}\n${JSON.stringify(stage.state(), null, 1)}`);
      });
      await eventually('silence', async () => stage.quietFor() > QUIET_MS, 20);
      steps.push({ does, state: stage.state() });
    }
  } finally {
    await stage.close();
  }
  const { name, about, job } = jobCase;
  return { name, about, recordedOn: version, job, steps, sequence: stage.sequence };
}

/** Writes one line per step and status, so that a diff of recordings is readable. */
function fixtureText({ steps, sequence, ...head }: JobFixture): string {
  const lines = (rows: unknown[]) => rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n');
  const open = JSON.stringify(head, null, 1).replace(/\n}$/, '');
  return `${open},\n "steps": [\n${lines(steps)}\n ],\n "sequence": [\n${lines(sequence)}\n ]\n}\n`;
}

const plane = await startControlPlane();
if ('skipped' in plane) throw new Error(plane.skipped);
const kubelet = await startCommandKubelet(plane.kube, 'node1');
try {
  const version = (await plane.kube.get('/version')).gitVersion as string;
  const wanted = process.argv.slice(2);
  const cases = JOB_CASES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const recorded = await Promise.allSettled(cases.map((jobCase) => record(plane.kube, version, jobCase)));
  for (const [i, result] of recorded.entries()) {
    const { name } = cases[i]!;
    if (result.status === 'rejected') {
      console.error(`${name}: ${result.reason.message}`);
      process.exitCode = 1;
      continue;
    }
    const file = join(import.meta.dirname, '..', 'fixtures', 'jobs', `${name}.json`);
    writeFileSync(file, fixtureText(result.value));
    console.log(`${name}: ${result.value.steps.length} steps, ${result.value.sequence.length} statuses`);
  }
} finally {
  await kubelet.stop();
  await plane.stop();
}
