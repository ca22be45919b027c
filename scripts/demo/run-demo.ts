/**
 * Creates the synthetic demo and runs it through the public REST API like a user's script, then compares the planted
 * variants with those found. Each part first checks whether it is done, so a start after an interruption resumes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, formatTable, type Variant } from './compare.ts';
import { followTask } from './follow-task.ts';
import { calledVariants, launchDemo } from './launch.ts';
import { openDemoFolder, prepareDemo } from './prepare.ts';
import type { RestClient } from './rest-client.ts';
import type { Terminal } from './terminal.ts';

const STORAGE_PATH = 'incoming/demo';

/** Creates the demo's files once. Incomplete files are created again. */
export async function makeDemo(storageDir: string, demoProgram: string): Promise<string> {
  const dir = join(storageDir, STORAGE_PATH);
  if (existsSync(join(dir, 'demo.json'))) return dir;
  const half = `${dir}.making`;
  await rm(half, { recursive: true, force: true });
  const child = spawn(demoProgram, ['--out', half], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`creating the demo's files failed: ${errors.trim().split('\n').slice(-3).join(' ')}`);
  await rename(half, dir);
  return dir;
}

/** Runs the demo. Returns true when every planted variant was found and nothing else was called. */
export async function runDemo(
  client: RestClient,
  options: {
    storageDir: string;
    demoProgram: string;
    terminal: Terminal;
    /** Default: one demo per installation. */
    idempotencyKey?: string;
    signal?: AbortSignal;
  },
): Promise<boolean> {
  const { terminal } = options;
  terminal.line('Running the demo (synthetic data) through the public API:');
  terminal.progress('creating genome, panel and reads from a fixed seed');
  const dir = await makeDemo(options.storageDir, options.demoProgram);
  const folder = await openDemoFolder(dir, STORAGE_PATH);
  const prepared = await prepareDemo(client, folder, { group: 'demo', project: 'demo' }, (text) =>
    terminal.progress(text),
  );
  const id = await launchDemo(client, folder, prepared, {
    name: 'demo',
    idempotencyKey: options.idempotencyKey ?? 'the-demo-of-this-installation',
  });
  const started = Date.now();
  const task = await followTask(client, prepared.group, id, (line) => terminal.progress(line), options.signal);
  terminal.line(`Task ${task.name} (${id}) ${task.status} after ${Math.round((Date.now() - started) / 1000)} s`);
  for (const failure of task.failures)
    terminal.line(`  ${failure.step ?? ''} ${failure.sample ?? ''}: ${failure.message}`);
  if (task.status !== 'completed') return false;
  const truth = JSON.parse(await readFile(join(dir, folder.manifest.truth), 'utf8')) as Record<string, Variant[]>;
  const reported: Record<string, Variant[]> = {};
  for (const sample of folder.manifest.samples)
    reported[sample.name] = await calledVariants(client, prepared.group, id, sample.name);
  const expected = Object.fromEntries(folder.manifest.samples.map((sample) => [sample.name, truth[sample.name] ?? []]));
  const rows = compare(expected, reported);
  for (const line of formatTable(rows)) terminal.line(line);
  terminal.line(`Open it: ${client.baseUrl}/secondary-analysis/tasks/${id}`);
  return rows.every((row) => row.outcome === 'found');
}
