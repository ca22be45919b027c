import { readdir } from 'node:fs/promises';
import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { hashFile } from './files.ts';

export const RESULT_FILE = 'result.json';

const TYPES: readonly [RegExp, string][] = [
  [/\.(bai|tbi|csi)$/, 'index'],
  [/\.vcf\.gz$/, 'vcf'],
  [/\.tsv(\.gz)?$/, 'table'],
  [/\.u32$/, 'packed'],
  [/\.bw$/, 'coverage'],
];

/** Returns the file kind that the console shows. */
export function typeOf(path: string): string {
  for (const [pattern, type] of TYPES) if (pattern.test(path)) return type;
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Lists every file of the folder except result.json with its hash, and flushes the files to disk. */
export async function listOutputs(
  folder: string,
  types: Readonly<Record<string, string>> = {},
): Promise<StepResult['outputs']> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1))
    .filter((path) => path !== RESULT_FILE)
    .sort();
  return Promise.all(
    paths.map(async (path) => ({
      path,
      ...(await hashFile(`${folder}/${path}`, true)),
      type: types[path] ?? typeOf(path),
    })),
  );
}
