/**
 * Checks what must hold after any fault, from the API server, Postgres and the records of the steps. The same for all
 * faults, without knowledge of the fault.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { INGESTED_ANNOTATION, TASK_LABEL } from '@seqpanel/crds/kinds.ts';
import pg from 'pg';
import type { KubeHttp, KubeObject } from '../../cluster/kube-http.ts';
import { collection } from '../../kubernetes-contract/builders.ts';

export interface Evidence {
  kube: KubeHttp;
  namespace: string;
  databaseUrl: string;
  storageDir: string;
  /** Uids that a watch saw for Jobs of a name. */
  jobs: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface ExpectedTask {
  id: string;
  end: 'completed' | 'failed' | 'aborted';
  /** True when the fault justifies further attempts of a step. */
  repeats?: boolean;
  /** True when its resource was deleted. */
  deleted?: boolean;
  /** Number of a user's changes after the launch. Each has one entry in the audit log. */
  changes?: number;
}

/** Rows of one task without values that differ between tasks, as one text per table. */
export type Results = Record<string, string>;

const TABLES = ['call', 'sample_metric', 'sample_depth', 'ingest'];
/** Times, ids, and the keys of `ingest` that contain their hashes. */
const OWN = new Set(['task_id', 'done', 'id', 'created']);
const STEPS = ['cohort', 'joint', 'annotation', 'post-filter', 'qc', 'report'];

/** Connections of the suite itself, by URL, because connecting costs more than a query. */
const pools = new Map<string, pg.Pool>();

function poolOf(url: string): pg.Pool {
  const known = pools.get(url);
  if (known) return known;
  // A lost Postgres may not report an error.
  const limits = { connectionTimeoutMillis: 5_000, query_timeout: 10_000, idleTimeoutMillis: 2_000, max: 4 };
  const pool = new pg.Pool({ connectionString: url, allowExitOnIdle: true, ...limits });
  pool.on('error', () => undefined); // the next query reports it
  pools.set(url, pool);
  return pool;
}

export async function query<T extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []) {
  return (await poolOf(url).query<T>(text, values)).rows;
}

/** Reads the results of a task in Postgres and on storage. */
export async function resultsOf(evidence: Pick<Evidence, 'databaseUrl' | 'storageDir'>, id: string): Promise<Results> {
  const results: Results = {};
  for (const table of TABLES) {
    const rows = await query(evidence.databaseUrl, `SELECT * FROM ${table} WHERE task_id = $1`, [id]);
    const lines = rows.map((row) => JSON.stringify(Object.entries(row).filter(([column]) => !OWN.has(column))));
    results[table] = lines.sort().join('\n');
    if (new Set(lines).size !== lines.length) results[table] += '\n(a row is there twice)';
  }
  const home = join(evidence.storageDir, 'tasks', id);
  for (const step of STEPS) results[step] = existsSync(join(home, step, 'result.json')) ? 'whole' : 'absent';
  for (const sample of ['S1', 'S2']) {
    const file = join(home, 'samples', sample, 'call', 'calls.vcf.gz');
    results[`calls of ${sample}`] = existsSync(file) ? bodyHash(file) : 'absent';
  }
  return results;
}

function bodyHash(path: string): string {
  const lines = gunzipSync(readFileSync(path)).toString().split('\n');
  return createHash('sha256')
    .update(lines.filter((line) => !line.startsWith('##')).join('\n'))
    .digest('hex');
}

interface TaskRow {
  id: string;
  status: string;
  reason: string | null;
  revision: string;
  ingested: string | null;
}

/**
 * Returns the existing resources of these tasks. Reads them by name, because this is called often and earlier tasks
 * remain.
 */
export async function resourcesOf(
  { kube, namespace }: Pick<Evidence, 'kube' | 'namespace'>,
  ids: readonly string[],
): Promise<KubeObject[]> {
  const answers = await Promise.all(
    ids.map((id) => kube.call('GET', `${collection('AnalysisTask', namespace)}/${id}`)),
  );
  const strange = answers.find(({ status }) => status !== 200 && status !== 404);
  if (strange) throw new Error(`the API server answered ${strange.status}`);
  return answers.filter(({ status }) => status === 200).map(({ body }) => body);
}

/** Returns all problems, one per line. `undisturbed`: the results of an undisturbed task. */
export async function violations(
  evidence: Evidence,
  tasks: readonly ExpectedTask[],
  undisturbed: Results,
): Promise<string[]> {
  const { kube, namespace, databaseUrl } = evidence;
  const found: string[] = [];
  const ids = tasks.map(({ id }) => id);
  const rows = await query<TaskRow>(
    databaseUrl,
    'SELECT id, status, reason, revision, ingested FROM task WHERE id = ANY($1)',
    [ids],
  );
  const objects: KubeObject[] = (await kube.get(collection('AnalysisTask', namespace))).items;
  const jobs: KubeObject[] = (await kube.get(`/apis/batch/v1/namespaces/${namespace}/jobs`)).items;

  for (const task of tasks) {
    const say = (text: string) => found.push(`${task.id.slice(0, 8)}: ${text}`);
    const row = rows.find(({ id }) => id === task.id);
    const object = objects.find(({ metadata }) => metadata.name === task.id);
    if (!row) {
      say('has no row');
      continue;
    }
    if (row.status !== task.end) say(`ended ${row.status} (${row.reason ?? 'no reason'}), not ${task.end}`);
    if (task.deleted ? object : !object) say(task.deleted ? 'still has a resource' : 'has no resource');
    if (object) {
      const { revision, phase, stages = [] } = object.status ?? {};
      if (Number(row.revision) !== revision) say(`row is at revision ${row.revision}, status at ${revision}`);
      if (phase?.toLowerCase() !== task.end) say(`status ends ${phase}`);
      if (task.end === 'completed' && object.metadata.annotations?.[INGESTED_ANNOTATION] !== row.ingested)
        say('its resource was not told that its results are in');
      for (const step of stages.flatMap((stage: KubeObject) => stage.steps ?? []))
        if (!task.repeats && (step.attempt ?? 1) > 1) say(`${step.name} took ${step.attempt} attempts`);
    }
    if (task.end === 'completed') {
      const results = await resultsOf(evidence, task.id);
      for (const [what, text] of Object.entries(undisturbed))
        if (results[what] !== text) say(`${what} differs from the undisturbed run`);
    }
    for (const [name, uids] of evidence.jobs) {
      if (!name.startsWith(`${task.id}-`)) continue;
      if (uids.size > 1) say(`Job ${name} was made ${uids.size} times`);
      if (!task.repeats && !name.endsWith('-1')) say(`Job ${name} was made`);
    }
    const audit = await query<{ action: string; changes: unknown }>(
      databaseUrl,
      `SELECT action, changes FROM audit_log WHERE resource_type = 'task' AND resource_id = $1`,
      [task.id],
    );
    const created = audit.filter(({ action }) => action === 'create').length;
    if (created !== 1) say(`its launch has ${created} entries in the audit log`);
    if (audit.length - created !== (task.changes ?? 0))
      say(`${audit.length - created} entries of the audit log for ${task.changes ?? 0} changes`);
  }

  const owners = new Set(objects.map(({ metadata }) => metadata.uid));
  for (const { metadata } of jobs) {
    const owner = metadata.ownerReferences?.[0];
    if (!owner) found.push(`Job ${metadata.name} has no owner`);
    else if (owner.kind === 'AnalysisTask' && !owners.has(owner.uid))
      found.push(`Job ${metadata.name} has lost its owner`);
  }
  const twice = await query<{ object: string }>(
    databaseUrl,
    `SELECT object FROM outbox WHERE intent->>'type' = 'launch' GROUP BY object HAVING count(*) > 1`,
  );
  for (const { object } of twice) found.push(`${object} was to be launched twice`);
  const open = await query<{ object: string; last_error: string | null }>(
    databaseUrl,
    `SELECT object, last_error FROM outbox WHERE state <> 'done'`,
  );
  for (const { object, last_error } of open) found.push(`outbox: ${object} is not carried out: ${last_error}`);
  return found;
}

/**
 * Reports whether readers have the state of the API server: each status records every ended Job, and each row has the
 * revision of its status.
 */
export async function isCurrent(evidence: Evidence, tasks: readonly ExpectedTask[]): Promise<boolean> {
  const { kube, namespace, databaseUrl } = evidence;
  const ids = tasks.map(({ id }) => id);
  const objects = await resourcesOf(evidence, ids);
  const selector = encodeURIComponent(`${TASK_LABEL} in (${ids.join(',')})`);
  const jobs: KubeObject[] = (await kube.get(`/apis/batch/v1/namespaces/${namespace}/jobs?labelSelector=${selector}`))
    .items;
  const rows = await query<TaskRow>(databaseUrl, 'SELECT id, status, revision FROM task WHERE id = ANY($1)', [ids]);
  return tasks.every(({ id, deleted }) => {
    const row = rows.find((one) => one.id === id);
    const object = objects.find(({ metadata }) => metadata.name === id);
    if (deleted) return !object && row?.status === 'aborted';
    if (!row || !object?.status?.phase || Number(row.revision) !== object.status.revision) return false;
    if (['Completed', 'Failed', 'Aborted'].includes(object.status.phase)) return true;
    const steps: KubeObject[] = object.status.stages?.flatMap((stage: KubeObject) => stage.steps ?? []) ?? [];
    const open = steps.filter(({ state }) => state === 'Running');
    return open.every(({ job: name }) => {
      const job = jobs.find(({ metadata }) => metadata.name === name);
      const ended = job?.status?.conditions?.some(
        ({ type, status }: KubeObject) => ['Complete', 'Failed'].includes(type) && status === 'True',
      );
      return job && !ended;
    });
  });
}
