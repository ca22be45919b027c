/**
 * One round of the kill test: starts a task, kills one of our processes (SIGKILL) at a random time, restarts the
 * product if necessary, and checks that the task ends as an undisturbed one.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { ATTEMPT_LABEL, STEP_LABEL, TASK_LABEL } from '@seqpanel/crds/kinds.ts';
import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { accessFromFile } from '@seqpanel/crds/kube/kubeconfig.ts';
import { JOBS } from '@seqpanel/crds/kube/objects.ts';
import { launchDemo } from '../../scripts/demo/launch.ts';
import { type DemoFolder, ensureFiles, ensureGroup, ensureProject, type Prepared } from '../../scripts/demo/prepare.ts';
import { API, type RestClient } from '../../scripts/demo/rest-client.ts';
import { type OwnProcess, type ProcessKind, processesOf } from '../support/processes.ts';
import { type Product, startProduct } from '../support/product.ts';

export interface Outcome {
  status: string;
  /** Hash of each sample's VCF without its header. */
  vcf: Record<string, string>;
  /** Rows of the variant table per sample. */
  rows: Record<string, number>;
  /** Distinct rows of the variant table per sample. */
  distinct: Record<string, number>;
}

/** A new group, so that no result of another round is reused. */
export async function launchRound(
  client: RestClient,
  folder: DemoFolder,
  panel: string,
  name: string,
  samples: readonly string[],
): Promise<{ prepared: Prepared; task: string }> {
  const group = await ensureGroup(client, name, name);
  const project = await ensureProject(client, group, 'reads');
  await ensureFiles(client, folder, { group, project, samples });
  const prepared = { group, project, panel };
  const task = await launchDemo(client, folder, prepared, { name, idempotencyKey: `round-${name}`, samples });
  return { prepared, task };
}

/** Waits for the end of the task, also while the product restarts. */
export async function outcomeOf(
  product: Product,
  client: RestClient,
  group: string,
  task: string,
  samples: readonly string[],
  timeoutMs = 300_000,
): Promise<Outcome> {
  const deadline = Date.now() + timeoutMs;
  let status = '';
  while (!['completed', 'failed', 'aborted'].includes(status)) {
    if (Date.now() > deadline)
      throw new Error(`task ${task} is still ${status}; output of the product:\n${product.output().slice(-4000)}`);
    await wait(300);
    try {
      status = (await client.get<{ status: string }>(`${API}/${group}/tasks/${task}`)).status;
    } catch {
      // the api or Postgres is restarting
    }
  }
  const outcome: Outcome = { status, vcf: {}, rows: {}, distinct: {} };
  for (const sample of samples) {
    const file = join(product.storageDir, 'tasks', task, 'samples', sample, 'call', 'calls.vcf.gz');
    outcome.vcf[sample] = existsSync(file) ? bodyHash(file) : 'absent';
    const page = await client.get<{ count: number; results: { id: string }[] }>(
      `${API}/${group}/tasks/${task}/variants?show=all&page_size=1000&sample=${sample}`,
    );
    outcome.rows[sample] = page.count;
    outcome.distinct[sample] = new Set(page.results.map((row) => row.id)).size;
  }
  return outcome;
}

function bodyHash(path: string): string {
  const body = gunzipSync(readFileSync(path))
    .toString()
    .split('\n')
    .filter((line) => !line.startsWith('##'));
  return createHash('sha256').update(body.join('\n')).digest('hex');
}

/** Kills one process of the given kind, or of any kind when none of that kind runs. Returns the killed one. */
export function killOne(dataDir: string, kind: ProcessKind, random: () => number): OwnProcess | undefined {
  const all = processesOf(dataDir);
  const candidates = all.filter((one) => one.kind === kind);
  const pool = candidates.length > 0 ? candidates : all;
  const victim = pool[Math.floor(random() * pool.length)];
  if (victim) {
    try {
      process.kill(victim.pid, 'SIGKILL');
    } catch {
      return undefined; // it has already ended
    }
  }
  return victim;
}

/** When the supervisor was killed, its children end too, and the product is started again on the same folder. */
export async function ensureRunning(product: Product): Promise<Product> {
  if (product.process.exitCode === null && product.process.signalCode === null) return product;
  return startProduct({ dataDir: product.dataDir, port: Number(new URL(product.url).port) });
}

/** Returns `step/attempt` of every Job of the task. A step that was started twice has two equal entries. */
export async function jobsOf(product: Product, task: string): Promise<string[]> {
  const access = await accessFromFile(join(product.dataDir, 'kubeconfig'));
  const client = new KubeClient(access, { namespace: 'seqpanel' });
  const jobs = await client.list(JOBS, { signal: AbortSignal.timeout(10_000), labelSelector: `${TASK_LABEL}=${task}` });
  return jobs.items.map((job) => `${job.metadata.labels?.[STEP_LABEL]}/${job.metadata.labels?.[ATTEMPT_LABEL]}`).sort();
}
