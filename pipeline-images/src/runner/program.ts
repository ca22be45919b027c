import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { EXIT_BAD_INPUT, EXIT_DONE, type TaskSpec, type TerminationMessage } from '@seqpanel/crds/step-contract.ts';
import { logFile } from '@seqpanel/crds/storage.ts';
import { createTools } from '../tools/tools.ts';
import { type Arguments, type Environment, parseArguments, parseEnvironment } from './arguments.ts';
import { BadInput } from './bad-input.ts';
import { loadFrozen } from './frozen.ts';
import { createLog, type Log } from './log.ts';
import { runStep } from './run-step.ts';
import type { AnyStep, CheckStep, SampleStep, TaskStep } from './step-definition.ts';
import { claimTaskFolder } from './task-folder-claim.ts';
import { formatTermination, writeTermination } from './termination.ts';
import { openWorkFolder } from './work-folder.ts';

const EXIT_ERROR = 1;
/** 128 + SIGTERM, the exit code that a shell reports. */
const EXIT_TERMINATED = 143;

const write = (text: string): void => {
  process.stdout.write(text);
};
const clock = (): Date => new Date();

/** Runs one step, writes the termination message and returns the exit code. */
export async function runProgram(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  steps: Readonly<Record<string, () => Promise<AnyStep>>>,
): Promise<number> {
  process.umask(0o002);
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  process.once('SIGINT', () => stop.abort());
  try {
    const args = parseArguments(argv);
    const load = steps[args.step];
    if (!load) throw new Error(`unknown step "${args.step}"; use one of ${Object.keys(steps).join(', ')}`);
    const environment = parseEnvironment(env);
    const step = await load();
    const [message, extra] =
      step.scope === 'check'
        ? [{ outcome: 'done' as const }, await runCheck(step, args, environment, stop.signal)]
        : [await runTask(step, args, environment, stop.signal), {}];
    writeTermination(formatTermination(message, extra), env);
    return EXIT_DONE;
  } catch (error) {
    const { exit, message } = judge(error, stop.signal.aborted);
    write(`${clock().toISOString()} ${message.outcome}: ${(error as Error).stack ?? String(error)}\n`);
    writeTermination(formatTermination(message), env);
    return exit;
  }
}

/** Returns exit code and termination message for an error. Errors after SIGTERM count as termination. */
export function judge(error: unknown, stopped: boolean): { exit: number; message: TerminationMessage } {
  const text = error instanceof Error ? error.message : String(error);
  if (stopped)
    return { exit: EXIT_TERMINATED, message: { outcome: 'error', code: 'terminated', message: 'stopped by SIGTERM' } };
  if (error instanceof BadInput)
    return { exit: EXIT_BAD_INPUT, message: { outcome: 'bad_input', code: error.code, message: text } };
  const noSpace =
    (error as Error)?.name === 'DiskFull' ||
    ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException)?.code ?? '');
  return {
    exit: EXIT_ERROR,
    message: { outcome: 'error', code: noSpace ? 'disk_full' : 'step_failed', message: text },
  };
}

async function readSpec<T>(path: string): Promise<T> {
  const text = await readFile(path, 'utf8');
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new BadInput(path.slice(path.lastIndexOf('/') + 1), undefined, `is not JSON: ${(error as Error).message}`);
  }
}

async function runTask(
  step: SampleStep | TaskStep,
  args: Arguments,
  environment: Environment,
  signal: AbortSignal,
): Promise<TerminationMessage> {
  if (args.task === undefined) throw new Error('--task is missing');
  const task = await readSpec<TaskSpec>(args.spec);
  const taskFolder = `${environment.storage}/${args.task}`;
  const podUid = environment.podUid ?? randomUUID();
  // Claim before writing anything to the folder, logs included.
  await claimTaskFolder(taskFolder, task.uid, podUid);
  const logOf = (sample?: string): Log => createLog(`${taskFolder}/${logFile(step.name, sample)}`, clock, write);
  const note = (sample: string | undefined, error: unknown): void => {
    const { message } = judge(error, signal.aborted);
    logOf(sample).info(`${message.outcome}: ${(error as Error).message}`);
  };
  const names = step.scope === 'task' ? [] : sampleNames(task, args.sample, environment.sampleIndexes);
  const closing: (() => Promise<void>)[] = [];
  const pod = { samples: names.length, atEnd: (close: () => Promise<void>) => closing.push(close) };
  let work: Awaited<ReturnType<typeof openWorkFolder>> | undefined;
  try {
    const [frozen, opened] = await Promise.all([
      loadFrozen(taskFolder, task).catch((error: unknown) => {
        note(undefined, error);
        throw error;
      }),
      openWorkFolder(taskFolder, podUid),
    ]);
    work = opened;
    const base = { environment, taskPath: args.task, task, frozen, work, pod, signal, clock };
    if (step.scope === 'task') {
      const outcome = await runStep(step, undefined, { ...base, log: logOf() }).catch((error: unknown) => {
        note(undefined, error);
        throw error;
      });
      return { outcome: outcome.skipped ? 'skipped' : 'done', ...outcome.skipped };
    }
    const failed: NonNullable<TerminationMessage['failed']> = [];
    for (const name of names) {
      try {
        await runStep(step, name, { ...base, log: logOf(name) });
      } catch (error) {
        note(name, error);
        if (!(error instanceof BadInput) || environment.samplesPerPod === 1 || signal.aborted) throw error;
        failed.push({ sample: name, code: error.code, message: error.message });
      }
    }
    return { outcome: 'done', failed: failed.length > 0 ? failed : undefined };
  } finally {
    for (const close of closing) await close();
    await work?.close();
  }
}

/** Returns the names of the samples that this pod processes. */
export function sampleNames(
  task: TaskSpec,
  only: string | undefined,
  indexes: readonly number[] | undefined,
): string[] {
  if (only !== undefined) return [only];
  const all = task.spec.samples;
  return (indexes ?? all.map((_, i) => i)).map((index) => {
    const sample = all[index];
    if (!sample) throw new Error(`the task has no sample with index ${index}`);
    return sample.name;
  });
}

async function runCheck(
  step: CheckStep,
  args: Arguments,
  { storage, cpus, memoryMiB }: Environment,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const spec = await readSpec<unknown>(args.spec);
  const tmp = await mkdtemp(`${tmpdir()}/seqpanel-${step.name}-`);
  const log = createLog(undefined, clock, write);
  try {
    const tools = createTools({ cwd: tmp, log, signal, hide: [tmp, storage] });
    return await step.run({ step: step.name, storage, spec, cpus, memoryMiB, tmp, tools, log, signal });
  } finally {
    await rm(tmp, { recursive: true, force: true });
  }
}
