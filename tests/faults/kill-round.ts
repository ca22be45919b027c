/**
 * One round of the kill test: a task is started, one process of ours is killed (SIGKILL) at a random time, what has to
 * be started again is started again, and the task must end as if nothing had happened.
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

/** A group of its own, so that no result of another round is taken over by its fingerprint. */
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

/** Waits for the end of the task through whatever happens to the product meanwhile. */
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
      // the api or Postgres is being started again
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

/** Kills one process of the wanted kind, or of any kind when none of it runs; returns what was killed. */
export function killOne(dataDir: string, kind: ProcessKind, random: () => number): OwnProcess | undefined {
  const all = processesOf(dataDir);
  const candidates = all.filter((one) => one.kind === kind);
  const pool = candidates.length > 0 ? candidates : all;
  const victim = pool[Math.floor(random() * pool.length)];
  if (victim) {
    try {
      process.kill(victim.pid, 'SIGKILL');
    } catch {
      return undefined; // it ended by itself in between
    }
  }
  return victim;
}

/** After the supervisor was killed its children end too; the product is started again on the same folder. */
export async function ensureRunning(product: Product): Promise<Product> {
  if (product.process.exitCode === null && product.process.signalCode === null) return product;
  return startProduct({ dataDir: product.dataDir, port: Number(new URL(product.url).port) });
}

/** `step/attempt` of every Job of the task; a step started twice shows as two equal entries. */
export async function jobsOf(product: Product, task: string): Promise<string[]> {
  const access = await accessFromFile(join(product.dataDir, 'kubeconfig'));
  const client = new KubeClient(access, { namespace: 'seqpanel' });
  const jobs = await client.list(JOBS, { signal: AbortSignal.timeout(10_000), labelSelector: `${TASK_LABEL}=${task}` });
  return jobs.items.map((job) => `${job.metadata.labels?.[STEP_LABEL]}/${job.metadata.labels?.[ATTEMPT_LABEL]}`).sort();
}
