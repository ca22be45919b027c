import { open } from 'node:fs/promises';
import type { StepResult, TaskSpec } from '@seqpanel/crds/step-contract.ts';
import { stepDir } from '@seqpanel/crds/storage.ts';
import { Terminated } from '../tools/tool-errors.ts';
import { createTools } from '../tools/tools.ts';
import type { Environment } from './arguments.ts';
import { BadInput } from './bad-input.ts';
import { readVisible } from './files.ts';
import { fingerprint } from './fingerprint.ts';
import type { Frozen } from './frozen.ts';
import { readResult, takeKept } from './kept-result.ts';
import type { Log } from './log.ts';
import { listOutputs, RESULT_FILE } from './outputs.ts';
import type { Pod, SampleStep, StepOutcome, TaskContext, TaskStep, Upstream } from './step-definition.ts';
import type { WorkFolder } from './work-folder.ts';

export interface StepRun {
  environment: Environment;
  taskPath: string;
  task: TaskSpec;
  frozen: Frozen;
  work: WorkFolder;
  pod: Pod;
  log: Log;
  signal: AbortSignal;
  clock: () => Date;
}

/**
 * Runs one step for one sample or for the task. Reuses a finished result with the same fingerprint, from this task or
 * kept by the group. Otherwise runs the step in its work folder and renames the folder into place.
 */
export async function runStep(
  step: SampleStep | TaskStep,
  sampleName: string | undefined,
  run: StepRun,
): Promise<StepOutcome> {
  const { environment, taskPath, task, frozen, work, log, signal, clock } = run;
  const started = clock();
  if (environment.correlation.length > 0) log.info(`${step.name}: ${environment.correlation.join(' ')}`);
  const taskFolder = `${environment.storage}/${taskPath}`;
  const place = `${taskFolder}/${stepDir(step.name, sampleName)}`;
  const { out, tmp } = await work.folders(sampleName === undefined ? step.name : `${step.name}-${sampleName}`);
  const tools = createTools({ cwd: out, log, signal, hide: [tmp, out, environment.storage] });
  const dead = new Set(environment.failedSamples.map((index) => task.spec.samples[index]?.name));
  const context: TaskContext = {
    step: step.name,
    storage: environment.storage,
    taskPath,
    task,
    frozen,
    samples: frozen.samples.filter((row) => !dead.has(row.sample)),
    cpus: environment.cpus,
    memoryMiB: environment.memoryMiB,
    out,
    tmp,
    tools,
    log,
    signal,
    upstream: (name, sample) => readUpstream(`${taskFolder}/${stepDir(name, sample)}`),
  };
  const bound = bind(step, context, sampleName, run.pod);
  const [versions, inputs] = await Promise.all([tools.versions(step.tools), bound.inputs()]);
  const key = fingerprint(step.name, step.revision, versions, inputs);

  const present = await readResult(place);
  if (present?.fingerprint === key) {
    log.info(`${step.name}: already finished (${key.slice(0, 12)})`);
    return {};
  }
  if (present) await work.retire(place);

  const kept = await takeKept(environment.storage, task.spec.group, key, out);
  let outcome: StepOutcome = {};
  let result: StepResult;
  const finish = { schema_version: 1 as const, step: step.name, sample: sampleName, fingerprint: key };
  if (kept) {
    log.info(`${step.name}: result reused from an earlier task (${key.slice(0, 12)})`);
    result = { ...kept, ...finish, reused: true, started: started.toISOString(), finished: clock().toISOString() };
  } else {
    log.info(`${step.name}: started (${key.slice(0, 12)})`);
    outcome = await bound.run();
    if (signal.aborted) throw new Terminated();
    const [outputs, used] = await Promise.all([listOutputs(out, outcome.types), tools.used()]);
    result = {
      ...finish,
      reused: false,
      outputs,
      metrics: outcome.metrics ?? {},
      tools: used,
      warnings: outcome.warnings ?? [],
      started: started.toISOString(),
      finished: clock().toISOString(),
    };
  }
  await writeSynced(`${out}/${RESULT_FILE}`, `${JSON.stringify(result, null, 1)}\n`);
  if (!(await work.publish(out, place))) {
    log.info(`${step.name}: another pod finished first, its result is kept`);
    return outcome;
  }
  log.info(`${step.name}: done in ${((clock().getTime() - started.getTime()) / 1000).toFixed(1)} s`);
  return outcome;
}

function bind(step: SampleStep | TaskStep, context: TaskContext, name: string | undefined, pod: Pod) {
  if (step.scope === 'task') return { inputs: () => step.inputs(context), run: () => step.run(context) };
  const sample = context.frozen.samples.find((row) => row.sample === name);
  if (!sample) throw new BadInput('samples.tsv', undefined, `sample ${name} is missing`, 'frozen_mismatch');
  const own = { ...context, sample, pod };
  return { inputs: () => step.inputs(own), run: () => step.run(own) };
}

async function readUpstream(dir: string): Promise<Upstream> {
  const result = JSON.parse((await readVisible(`${dir}/${RESULT_FILE}`)).toString()) as StepResult;
  return {
    dir,
    result,
    path: (file) => `${dir}/${file}`,
    sha256: (file) => {
      const output = result.outputs.find(({ path }) => path === file);
      if (!output) throw new Error(`${result.step} did not write ${file}`);
      return output.sha256;
    },
  };
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
