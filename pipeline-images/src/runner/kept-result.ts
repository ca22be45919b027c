import { constants, copyFile, link, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { keptDir } from '@seqpanel/crds/storage.ts';
import { hashFile } from './files.ts';
import { RESULT_FILE } from './outputs.ts';

/** Returns the result.json of a folder, or undefined when the folder holds no finished result. */
export async function readResult(folder: string): Promise<StepResult | undefined> {
  try {
    return JSON.parse(await readFile(`${folder}/${RESULT_FILE}`, 'utf8')) as StepResult;
  } catch {
    return undefined;
  }
}

/**
 * Creates a hard link, or a copy when source and target are on different mounts, as in a pod. The copy shares its blocks
 * where the file system supports it. The api replaces it with a link when the task has ended.
 */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_FICLONE));
}

/** Copies the group's kept result with this fingerprint to `out`. Returns undefined when there is none or a file is damaged. */
export async function takeKept(
  storage: string,
  group: string,
  key: string,
  out: string,
): Promise<StepResult | undefined> {
  const folder = `${storage}/${keptDir(group, key)}`;
  const result = await readResult(folder);
  if (!result || result.fingerprint !== key) return undefined;
  try {
    for (const output of result.outputs) {
      await linkOrCopy(`${folder}/${output.path}`, `${out}/${output.path}`);
      const { sha256 } = await hashFile(`${out}/${output.path}`);
      if (sha256 !== output.sha256) throw new Error(`${output.path} differs`);
    }
    return result;
  } catch {
    // Start from an empty folder. The new result replaces the damaged one.
    await rm(out, { recursive: true, force: true });
    await mkdir(out, { recursive: true });
    return undefined;
  }
}
