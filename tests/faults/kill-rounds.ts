/**
 * npm run test:kill -- [rounds] [seed]: rounds of kill-round.ts on one product, compared with the outcome of an
 * undisturbed task. Prints a line per round and ends with `N passed, N failed`.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureGenome, ensurePanelType, openDemoFolder } from '../../scripts/demo/prepare.ts';
import { makeDemo } from '../../scripts/demo/run-demo.ts';
import { type ProcessKind, processesOf } from '../support/processes.ts';
import { ROOT, startProduct } from '../support/product.ts';
import { ensureRunning, jobsOf, killOne, launchRound, type Outcome, outcomeOf } from './kill-round.ts';

const KINDS: ProcessKind[] = ['supervisor', 'api', 'operator', 'control plane', 'postgres', 'step program', 'tool'];

export interface RoundReport {
  round: number;
  killed: string;
  afterMs: number;
  problems: string[];
}

/** Retries a call while the api or Postgres restarts. */
async function untilAnswered<T>(call: () => Promise<T>, timeoutMs = 60_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(300);
    }
  }
}

/** A small random generator with a seed (mulberry32), so that a failed run can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function differences(outcome: Outcome, expected: Outcome, jobs: readonly string[]): string[] {
  const problems: string[] = [];
  if (outcome.status !== 'completed') problems.push(`ended ${outcome.status}`);
  for (const [sample, hash] of Object.entries(expected.vcf)) {
    if (outcome.vcf[sample] !== hash) problems.push(`${sample}: the VCF differs`);
    if (outcome.rows[sample] !== expected.rows[sample])
      problems.push(`${sample}: ${outcome.rows[sample]} rows instead of ${expected.rows[sample]}`);
    if (outcome.distinct[sample] !== Math.min(outcome.rows[sample] ?? 0, 1000))
      problems.push(`${sample}: a row is there twice`);
  }
  if (new Set(jobs).size !== jobs.length) problems.push(`a Job was made twice: ${jobs.join(' ')}`);
  return problems;
}

/** Runs the rounds. `samples` are names of the demo. */
export async function killRounds(options: {
  rounds: number;
  seed: number;
  samples?: number;
  onRound?: (report: RoundReport) => void;
}): Promise<RoundReport[]> {
  const random = seeded(options.seed);
  let product = await startProduct();
  const reports: RoundReport[] = [];
  try {
    const demoDir = await makeDemo(product.storageDir, join(ROOT, 'pipeline-images', 'bin', 'seqpanel-demo'));
    const folder = await openDemoFolder(demoDir, 'incoming/demo');
    const samples = folder.manifest.samples.slice(0, options.samples ?? 2).map((sample) => sample.name);
    let client = await product.admin();
    await ensureGenome(client, folder);
    const panel = await ensurePanelType(client, folder);
    const calm = await launchRound(client, folder, panel, 'undisturbed', samples);
    const started = Date.now();
    const expected = await outcomeOf(product, client, calm.prepared.group, calm.task, samples);
    const usual = Date.now() - started;
    if (expected.status !== 'completed') throw new Error(`the undisturbed task ended ${expected.status}`);
    for (let round = 1; round <= options.rounds; round++) {
      const { prepared, task } = await launchRound(client, folder, panel, `kill-${options.seed}-${round}`, samples);
      const afterMs = Math.round(random() * usual);
      await wait(afterMs);
      const victim = killOne(product.dataDir, KINDS[Math.floor(random() * KINDS.length)]!, random);
      await wait(200);
      product = await ensureRunning(product);
      client = await untilAnswered(() => product.admin());
      const outcome = await outcomeOf(product, client, prepared.group, task, samples);
      const report = {
        round,
        killed: victim ? `${victim.kind} (${victim.command.slice(0, 60)})` : 'nothing',
        afterMs,
        problems: differences(outcome, expected, await untilAnswered(() => jobsOf(product, task))),
      };
      reports.push(report);
      options.onRound?.(report);
    }
  } finally {
    await product.stop();
    const strays = processesOf(product.dataDir);
    if (strays.length > 0)
      reports.push({
        round: 0,
        killed: '',
        afterMs: 0,
        problems: strays.map((one) => `still running after the stop: ${one.command.slice(0, 120)}`),
      });
    await product.dispose();
  }
  return reports;
}

if (process.argv[1] === import.meta.filename) {
  const rounds = Number(process.argv[2] ?? 50);
  const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
  console.log(`${rounds} rounds, seed ${seed}`);
  const show = (report: RoundReport): void =>
    console.log(
      `${report.problems.length === 0 ? 'ok    ' : 'FAILED'} round ${report.round}: ${report.killed} after ${report.afterMs} ms ${report.problems.join('; ')}`,
    );
  const reports = await killRounds({ rounds, seed, onRound: show });
  for (const report of reports.filter((one) => one.round === 0)) show(report);
  const failed = reports.filter((report) => report.problems.length > 0).length;
  console.log(`${reports.length - failed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
