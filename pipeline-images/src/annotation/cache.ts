/**
 * Annotations of alleles kept for later tasks of a group, one store for each set of sources. A store is a folder of
 * parts; a task reads them all and adds one part with what it found out, by rename, so that tasks never wait for one
 * another.
 */

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { cacheDir } from '@seqpanel/crds/storage.ts';
import type { TaskContext } from '../step/definition.ts';
import { sha256 } from '../step/files.ts';
import { fingerprint } from '../step/fingerprint.ts';
import type { AlleleAnnotation } from './alleles.ts';

/** Parts are joined into one when there are more: each costs an open. */
const MAX_PARTS = 16;
/** A store that has grown over this keeps what the latest task used: most of the rest is noise of single runs. */
const MAX_ALLELES = 200_000;

type Entry = [key: string, annotation: AlleleAnnotation];

/** The folder of the store for the task's genome, sources and tools. `revision` is the step's. */
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

/** Everything the store knows; a part that cannot be read is as good as none. */
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

/** Adds what a task found out. The caller ignores failures: a store may be full or read-only. */
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
