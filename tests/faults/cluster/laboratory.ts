/**
 * Two tiny samples with their genome and panel, created in a product through its public API. Launches tasks and waits
 * for their end.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { launchDemo } from '../../../scripts/demo/launch.ts';
import { ensureFiles, ensureGroup, ensurePanelType, ensureProject } from '../../../scripts/demo/prepare.ts';
import { API, type RestClient } from '../../../scripts/demo/rest-client.ts';
import { type DataSet, openDataSet } from '../../support/data-folder.ts';
import { makeTinyRun } from '../../support/tiny-run.ts';
import { query } from './invariants.ts';

/** Properties of a product that a laboratory and its checks need. */
export interface Premises {
  namespace: string;
  /** Folder of its storage on this machine. */
  storageDir: string;
  /** URL of Postgres itself. */
  databaseUrl: string;
  /** Opens a new session of the first administrator. */
  admin(): Promise<RestClient>;
}

export type Word = 'hold' | 'really' | 'twice' | 'fail';

const SAMPLE_STEPS = ['reads', 'call'];
const TASK_STEPS = ['cohort', 'joint', 'annotation', 'post-filter', 'qc', 'report'];

/** Creates genome, design and reads as files of a temporary folder. */
export async function makeData(): Promise<{ data: DataSet; folder: string }> {
  const run = await makeTinyRun();
  const changes = [
    { pos: 460, alt: 'A', vaf: 0.5 },
    { pos: 1060, alt: 'C', vaf: 0.2 },
  ].map(({ pos, alt, vaf }) => {
    const ref = run.bases(pos, pos);
    return { pos, ref, alt: ref === alt ? 'T' : alt, vaf };
  });
  const samples = ['S1', 'S2'].map((name, i) => ({ name, ...run.reads(name, 60, changes, 5 + i) }));
  const starts = [400, 1000, 1600];
  const bed = (from: number, to: number) =>
    starts.map((start, i) => `c1\t${start + from}\t${start + to}\tGENE${i + 1}_1\n`).join('');
  const design = { bed: bed(0, 160), insertBed: bed(20, 140) };
  const fasta = join(run.storage, 'tiny.fa');
  return { data: { value: 'tiny', fasta, design, samples }, folder: run.storage };
}

export class Laboratory {
  readonly product: Premises;
  readonly #folder: Awaited<ReturnType<typeof openDataSet>>;
  readonly #prepared: { group: string; project: string; panel: string };
  #client: RestClient;

  private constructor(
    product: Premises,
    folder: Awaited<ReturnType<typeof openDataSet>>,
    prepared: { group: string; project: string; panel: string },
    client: RestClient,
  ) {
    this.product = product;
    this.#folder = folder;
    this.#prepared = prepared;
    this.#client = client;
  }

  /** Installs genome and panel type, creates group and project, uploads the reads. */
  static async open(product: Premises, data: DataSet): Promise<Laboratory> {
    mkdirSync(join(product.storageDir, '.play'), { recursive: true });
    const client = await product.admin();
    const folder = await openDataSet(client, product, data);
    const panel = await ensurePanelType(client, folder);
    const group = await ensureGroup(client, 'laboratory', 'Laboratory');
    const project = await ensureProject(client, group, 'reads');
    await ensureFiles(client, folder, { group, project });
    return new Laboratory(product, folder, { group, project, panel }, client);
  }

  get group(): string {
    return this.#prepared.group;
  }
  get project(): string {
    return this.#prepared.project;
  }
  get client(): RestClient {
    return this.#client;
  }

  /** Launches both samples. Retries until the api has answered; the key ensures that only one task is created. */
  async launch(name: string): Promise<string> {
    return this.insist(() =>
      launchDemo(this.#client, this.#folder, this.#prepared, { name, idempotencyKey: `launch-${name}` }),
    );
  }

  async abort(id: string): Promise<void> {
    await this.insist(() => this.#client.post(`${API}/${this.group}/tasks/${id}/abort`));
  }

  /** Retries a call while the api or its database cannot answer. Logs in again after the end of a session. */
  async insist<T>(call: () => Promise<T>, seconds = 120): Promise<T> {
    const deadline = Date.now() + seconds * 1000;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const { status = 503 } = error as { status?: number };
        if (Date.now() > deadline || (status < 500 && status !== 401)) throw error;
        await wait(200);
        if (status === 401) this.#client = await this.product.admin().catch(() => this.#client);
      }
    }
  }

  /** Waits for the row's final status. */
  async ended(id: string, seconds = 120): Promise<string> {
    const deadline = Date.now() + seconds * 1000;
    let status = '';
    while (Date.now() < deadline) {
      const sql = 'SELECT status, ingested FROM task WHERE id = $1';
      const [row] = await query<{ status: string }>(this.product.databaseUrl, sql, [id]).catch(() => []);
      status = row?.status ?? status;
      if (['completed', 'failed', 'aborted'].includes(status)) return status;
      await wait(200);
    }
    throw new Error(`task ${id} of ${this.product.namespace} is still ${status} after ${seconds} s`);
  }

  #play = (name: string) => join(this.product.storageDir, '.play', name);

  /** Records the outputs of a task's steps, so that later tasks replay them. */
  record(id: string): void {
    const home = join(this.product.storageDir, 'tasks', id);
    const to = this.#play('recorded');
    for (const step of SAMPLE_STEPS)
      for (const sample of ['S1', 'S2'])
        cpSync(join(home, 'samples', sample, step), join(to, step, sample), { recursive: true });
    for (const step of TASK_STEPS) cpSync(join(home, step), join(to, step), { recursive: true });
  }

  /** Replays the outputs that another laboratory recorded. */
  playRecordOf(other: Laboratory): void {
    cpSync(other.#play('recorded'), this.#play('recorded'), { recursive: true });
  }

  /** Writes a control file for the step programs: `hold`, `really`, `twice` or `fail`. */
  tell(word: Word, step: string): void {
    writeFileSync(this.#play(`${word}-${step}`), '');
  }
  untell(word: Word, step: string): void {
    rmSync(this.#play(`${word}-${step}`), { force: true });
  }

  /** Returns the starts and ends of step programs of a task, as `start reads 1 0` and `end reads 1 0 0`. */
  runs(id: string): string[] {
    const file = this.#play('log');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    return lines.filter((line) => line.includes(id)).map((line) => line.replace(` ${id}`, '').trim());
  }

  /** Waits until that many programs of a task's step were started. */
  async started(id: string, step: string, count: number, seconds = 60): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    while (this.runs(id).filter((line) => line.startsWith(`start ${step} `)).length < count) {
      if (Date.now() > deadline) throw new Error(`${step} of task ${id} was not started ${count} times`);
      await wait(50);
    }
  }
}
