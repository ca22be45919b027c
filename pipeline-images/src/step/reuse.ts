import { copyFile, link, mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { cacheDir } from '@seqpanel/crds/storage.ts';
import { hashFile } from './files.ts';
import { RESULT_FILE } from './outputs.ts';

/** result.json of a folder; undefined when the folder holds no finished result. */
export async function readResult(folder: string): Promise<StepResult | undefined> {
  try {
    return JSON.parse(await readFile(`${folder}/${RESULT_FILE}`, 'utf8')) as StepResult;
  } catch {
    return undefined;
  }
}

/** Hard link where both places are on one file system and mount, else a copy. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await link(from, to).catch(async () => {
    await rm(to, { force: true });
    await copyFile(from, to);
  });
}

/** Takes the group's kept result of this fingerprint into `out`; undefined when there is none, or it is not whole any more. */
export async function takeKept(
  storage: string,
  group: string,
  key: string,
  out: string,
): Promise<StepResult | undefined> {
  const folder = `${storage}/${cacheDir(group, key)}`;
  const result = await readResult(folder);
  if (!result || result.fingerprint !== key) return undefined;
  try {
    for (const output of result.outputs) {
      await linkOrCopy(`${folder}/${output.path}`, `${out}/${output.path}`);
      const { sha256 } = await hashFile(`${out}/${output.path}`);
      if (sha256 !== output.sha256) throw new Error(`${output.path} differs`);
    }
    // The api removes what was not taken for long.
    const now = new Date();
    await utimes(folder, now, now).catch(() => undefined);
    return result;
  } catch {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    await rm(out, { recursive: true, force: true });
    await mkdir(out, { recursive: true });
    return undefined;
  }
}

/** Keeps a finished folder for the later tasks of the group. The caller ignores failures: a cache may be missing or full. */
export async function keep(
  storage: string,
  group: string,
  key: string,
  place: string,
  result: StepResult,
  podUid: string,
): Promise<void> {
  const folder = `${storage}/${cacheDir(group, key)}`;
  const half = `${storage}/${cacheDir(group, `.${key}-${podUid}`)}`;
  try {
    for (const output of result.outputs) await linkOrCopy(`${place}/${output.path}`, `${half}/${output.path}`);
    await mkdir(half, { recursive: true });
    await writeFile(`${half}/${RESULT_FILE}`, JSON.stringify(result));
    await rename(half, folder);
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}
