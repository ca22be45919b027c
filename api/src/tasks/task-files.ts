/** Lists the results and logs in a task's folder and locates single files. Paths cannot leave the folder. */

import { basename, extname } from 'node:path';
import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { fileKey } from '@seqpanel/crds/outputs/catalogue.ts';
import { logFile, taskDir } from '@seqpanel/crds/storage.ts';
import { isPlainPath } from '@seqpanel/crds/storage-path.ts';
import { isSampleStep, stepsOf } from '@seqpanel/crds/task-steps.ts';
import { NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';
import { placeIn, readText, type StoragePlace, statEntries, statEntry } from '../storage/inside-storage.ts';

export type OutputFile = AnswerOf<'listTaskOutput'>['results'][number];
export type LogFile = AnswerOf<'listTaskLogs'>['results'][number];

const TYPES: Readonly<Record<string, string>> = {
  '.bam': 'bam',
  '.bai': 'bai',
  '.vcf': 'vcf',
  '.tbi': 'tbi',
  '.tsv': 'tsv',
  '.txt': 'txt',
  '.json': 'json',
  '.html': 'html',
  '.u32': 'u32',
  '.bw': 'bigwig',
  '.zip': 'zip',
  '.log': 'log',
};

const MEDIA: Readonly<Record<string, string>> = {
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  log: 'text/plain; charset=utf-8',
  zip: 'application/zip',
};

/** Type by file extension, ignoring `.gz`. */
export const typeOf = (name: string): string =>
  TYPES[extname(name.endsWith('.gz') ? name.slice(0, -3) : name)] ?? 'other';

/** Content type of the stored bytes. A gzip file is sent compressed. */
export const mediaTypeOf = (name: string): string =>
  name.endsWith('.gz') ? 'application/gzip' : (MEDIA[typeOf(name)] ?? 'application/octet-stream');

/** A task's folder is named after its resource, which for a task made with kubectl may differ from its id. */
export const folderNameOf = (task: { id: string; resource_name?: string | null }): string =>
  task.resource_name ?? task.id;

/** `name`: name of the folder. */
export const folderOf = (storageDir: string, name: string): StoragePlace => placeIn(storageDir, taskDir(name));

/**
 * Returns a file of the task's folder. Throws NotFound when it is missing or hidden, because hidden files are
 * incomplete.
 */
export async function locate(storageDir: string, taskId: string, path: string): Promise<StoragePlace> {
  const hidden = path.split('/').some((part) => part.startsWith('.'));
  if (hidden || !isPlainPath(path)) throw new NotFound('output_not_found');
  const file = folderOf(storageDir, taskId).at(path);
  const info = await statEntry(file).catch((error) => {
    throw error instanceof NotFound ? error : new NotFound('output_not_found', undefined, { cause: error });
  });
  if (!info.isFile()) throw new NotFound('output_not_found');
  return file;
}

export async function listOutput(storageDir: string, taskId: string): Promise<OutputFile[]> {
  const folder = folderOf(storageDir, taskId);
  const files: OutputFile[] = [];
  const hashes = new Map<string, string>();
  const walk = async (below: string): Promise<void> => {
    for (const { name, stats } of await statEntries(below === '' ? folder : folder.at(below)).catch(() => [])) {
      if (name.startsWith('.')) continue;
      const path = below === '' ? name : `${below}/${name}`;
      if (stats.isDirectory()) {
        await walk(path);
      } else if (stats.isFile()) {
        if (name === 'result.json') await readHashes(folder.at(path), below, hashes);
        files.push({ ...describe(path), size: stats.size, modified: stats.mtime.toISOString() });
      }
    }
  };
  await walk('');
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return files.map((file) => ({ ...file, sha256: hashes.get(file.path) ?? null }));
}

/** Adds the hashes of the outputs listed in a step's result.json. */
async function readHashes(place: StoragePlace, below: string, hashes: Map<string, string>): Promise<void> {
  try {
    const { outputs } = JSON.parse(await readText(place)) as { outputs: { path: string; sha256: string }[] };
    for (const output of outputs) hashes.set(`${below}/${output.path}`, output.sha256);
  } catch {
    // The file was replaced during the read, so its outputs are listed without hashes.
  }
}

function describe(path: string): Omit<OutputFile, 'size' | 'modified'> {
  const name = basename(path);
  const sample = /^(?:post-filter\/)?samples\/([^/]+)\//.exec(path)?.[1] ?? null;
  return { path, name, type: typeOf(name), sample, sha256: null, meaning: fileKey(path) ?? null };
}

/** Returns the logs with their stage, step and sample, sorted by name. `samples`: names of the samples. */
export async function listLogs(
  storageDir: string,
  taskId: string,
  status: AnalysisTaskStatus,
  samples: readonly string[],
): Promise<LogFile[]> {
  const folder = folderOf(storageDir, taskId).at('logs');
  const known = logsOf(status, samples);
  const entries = (await statEntries(folder).catch(() => []))
    .filter(({ name, stats }) => stats.isFile() && name.endsWith('.log'))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.map(({ name, stats }) => {
    const whose = known.get(name) ?? { stage: null, step: basename(name, '.log'), sample: null };
    return { name, ...whose, size: stats.size, modified: stats.mtime.toISOString() };
  });
}

/** Lists every log that the steps of a task may write. */
function logsOf(status: AnalysisTaskStatus, samples: readonly string[]) {
  return new Map(
    stepsOf(status).flatMap(({ stage, step }) =>
      [undefined, ...(isSampleStep(step) ? samples : [])].map((sample) => [
        basename(logFile(step.name, sample)),
        { stage, step: step.name, sample: sample ?? null },
      ]),
    ),
  );
}
