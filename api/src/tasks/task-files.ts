/** Files below a task's folder: the list of results, the logs, and where one of them is (no path leaves the folder). */

import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join, normalize, sep } from 'node:path';
import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { fileKey } from '@seqpanel/crds/outputs/catalogue.ts';
import { logFile, taskDir } from '@seqpanel/crds/storage.ts';
import { isSampleStep, stepsOf } from '@seqpanel/crds/task-steps.ts';
import { NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';

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

/** By the ending, `.gz` looked through. */
export const typeOf = (name: string): string =>
  TYPES[extname(name.endsWith('.gz') ? name.slice(0, -3) : name)] ?? 'other';

/** Content type of the bytes as they are; a gzip file is not unpacked on the way. */
export const mediaTypeOf = (name: string): string =>
  name.endsWith('.gz') ? 'application/gzip' : (MEDIA[typeOf(name)] ?? 'application/octet-stream');

export const folderOf = (storageDir: string, taskId: string): string => join(storageDir, taskDir(taskId));

/** Absolute path of a file below the task's folder; NotFound for any other. Hidden files are work in progress. */
export async function locate(storageDir: string, taskId: string, path: string): Promise<string> {
  const folder = folderOf(storageDir, taskId);
  const file = normalize(join(folder, path));
  const hidden = path.split('/').some((part) => part.startsWith('.'));
  if (hidden || path.includes('\0') || !file.startsWith(folder + sep)) throw new NotFound('output_not_found');
  const info = await stat(file).catch(() => undefined);
  if (!info?.isFile()) throw new NotFound('output_not_found');
  return file;
}

export async function listOutput(storageDir: string, taskId: string): Promise<OutputFile[]> {
  const folder = folderOf(storageDir, taskId);
  const files: OutputFile[] = [];
  const hashes = new Map<string, string>();
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        await walk(path);
      } else if (entry.isFile()) {
        if (entry.name === 'result.json') await readHashes(join(folder, path), below, hashes);
        const info = await stat(join(folder, path)).catch(() => undefined);
        if (info) files.push({ ...describe(path), size: info.size, modified: info.mtime.toISOString() });
      }
    }
  };
  await walk('');
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return files.map((file) => ({ ...file, sha256: hashes.get(file.path) ?? null }));
}

/** A step's result.json names the hashes of what it wrote. */
async function readHashes(path: string, below: string, hashes: Map<string, string>): Promise<void> {
  try {
    const { outputs } = JSON.parse(await readFile(path, 'utf8')) as { outputs: { path: string; sha256: string }[] };
    for (const output of outputs) hashes.set(`${below}/${output.path}`, output.sha256);
  } catch {
    // Replaced while it was read: the list goes without its hashes.
  }
}

function describe(path: string): Omit<OutputFile, 'size' | 'modified'> {
  const name = basename(path);
  const sample = /^(?:post-filter\/)?samples\/([^/]+)\//.exec(path)?.[1] ?? null;
  return { path, name, type: typeOf(name), sample, sha256: null, meaning: fileKey(path) ?? null };
}

/** By name, with the stage, step and sample of the task whose log it is. `samples`: their names. */
export async function listLogs(
  storageDir: string,
  taskId: string,
  status: AnalysisTaskStatus,
  samples: readonly string[],
): Promise<LogFile[]> {
  const folder = join(folderOf(storageDir, taskId), 'logs');
  const known = logsOf(status, samples);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.log')).sort();
  const logs = await Promise.all(
    names.map(async (name) => {
      const info = await stat(join(folder, name)).catch(() => undefined);
      const whose = known.get(name) ?? { stage: null, step: basename(name, '.log'), sample: null };
      return info && { name, ...whose, size: info.size, modified: info.mtime.toISOString() };
    }),
  );
  return logs.flatMap((log) => log ?? []);
}

/** Every log that the steps of a task may write, by name. */
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

const TAIL_CHUNK = 64 * 1024;

/** The last `lines` lines of a text file and the byte they begin at; memory grows with what is asked for alone. */
export async function tailOf(path: string, lines: number): Promise<{ offset: number; text: Buffer }> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    let at = size;
    let found = 0;
    const chunks: Buffer[] = [];
    while (at > 0) {
      const length = Math.min(TAIL_CHUNK, at);
      at -= length;
      const chunk = Buffer.alloc(length);
      await handle.read(chunk, 0, length, at);
      for (let i = length - 1; i >= 0; i--) {
        // The newline that ends the file ends its last line, it does not begin another.
        if (chunk[i] !== 0x0a || at + i === size - 1) continue;
        if (++found < lines) continue;
        chunks.unshift(chunk.subarray(i + 1));
        return { offset: at + i + 1, text: Buffer.concat(chunks) };
      }
      chunks.unshift(chunk);
    }
    return { offset: 0, text: Buffer.concat(chunks) };
  } finally {
    await handle.close();
  }
}
