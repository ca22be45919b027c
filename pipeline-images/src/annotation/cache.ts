/**
 * Cached annotations of alleles for later tasks of a group, one store per set of sources. A store is a folder of parts. A
 * task reads all parts and adds one with its new annotations by renaming it into place, so that tasks never wait for each
 * other.
 */

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { cacheDir } from '@seqpanel/crds/storage.ts';
import { sha256 } from '../runner/files.ts';
import { fingerprint } from '../runner/fingerprint.ts';
import type { TaskContext } from '../runner/step-definition.ts';
import type { AlleleAnnotation } from './alleles.ts';

/** Parts are joined into one above this number, because each part costs an open. */
const MAX_PARTS = 16;
/** Above this size the store keeps only the alleles of the latest task. Most others are noise of single runs. */
const MAX_ALLELES = 200_000;

type Entry = [key: string, annotation: AlleleAnnotation];

/** Returns the store's folder for the task's genome, sources and tools. `revision` is the step's. */
export async function storeFolder(context: TaskContext, revision: number, tools: readonly string[]): Promise<string> {
  const { frozen, storage, task } = context;
  const versions = await context.tools.versions(tools);
  const sources = frozen.annotation.sources.map(({ name, kind, version, sha256: hash }) => ({
    name,
    kind,
    version,
    hash,
  }));
  const contigs = frozen.genome.contigs.map(({ name, length, md5 }) => ({ name, length, md5 }));
  const key = fingerprint('annotation-alleles', revision, versions, { genome: frozen.genome.value, contigs, sources });
  return `${storage}/${cacheDir(task.spec.group, `annotation-${key}`)}`;
}

const parts = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [] as string[])).filter((name) => name.endsWith('.json.gz')).sort();

/** Reads the whole store. Skips and deletes parts that cannot be read. */
export async function readStore(folder: string): Promise<Map<string, AlleleAnnotation>> {
  const known = new Map<string, AlleleAnnotation>();
  for (const name of await parts(folder)) {
    try {
      const text = gunzipSync(await readFile(`${folder}/${name}`)).toString();
      for (const [key, annotation] of JSON.parse(text) as Entry[]) known.set(key, annotation);
    } catch {
      await rm(`${folder}/${name}`, { force: true }).catch(() => undefined);
    }
  }
  return known;
}

/** Adds the annotations of a task. The caller ignores errors, because the store may be full or read-only. */
export async function addToStore(
  folder: string,
  found: ReadonlyMap<string, AlleleAnnotation>,
  known: ReadonlyMap<string, AlleleAnnotation>,
  used: ReadonlySet<string>,
): Promise<void> {
  if (found.size === 0) return;
  await mkdir(folder, { recursive: true });
  const present = await parts(folder);
  const join = present.length >= MAX_PARTS;
  const whole = known.size + found.size <= MAX_ALLELES;
  const old = join ? [...known].filter(([key]) => whole || used.has(key)) : [];
  const entries: Entry[] = [...old, ...found];
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const bytes = gzipSync(JSON.stringify(entries));
  const name = `${sha256(bytes).slice(0, 16)}.json.gz`;
  const half = `${folder}/.${name}-${process.pid}`;
  await writeFile(half, bytes);
  await rename(half, `${folder}/${name}`);
  if (!join) return;
  for (const part of present) if (part !== name) await rm(`${folder}/${part}`, { force: true });
}
