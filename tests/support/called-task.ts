/** A task with calls written by the test instead of the secondary stage, to test later steps. */

import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { alleleKey } from '@seqpanel/crds/allele.ts';
import { canonicalName } from '@seqpanel/crds/contigs.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { SHIPPED_PARAMETERS } from '@seqpanel/crds/parameters.ts';
import { installed, makeTask } from './pipeline-task.ts';

export interface WrittenCall {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
}

/** Returns a panel of one amplicon on a genome's first contig, for tests of calls. */
export function smallPanel(storage: string, genome: string, changes: Partial<PanelFile> = {}): PanelFile {
  const [contig] = installed(storage, genome).contigs;
  return {
    schema_version: 1,
    value: 'small',
    displayName: 'Small',
    version: '1',
    genome: { value: genome, contigs: [{ name: contig!.name, length: contig!.length }] },
    chemistry: 'capture',
    analysisTypes: ['germline'],
    bamAllowed: true,
    amplicons: [{ name: 'a1', chrom: contig!.name, start: 1, end: 100, insert: { start: 1, end: 100 } }],
    parameters: SHIPPED_PARAMETERS.map((p) => ({ ...p })),
    ...changes,
  };
}

/** Creates a task of one sample S1 with the given calls instead of those of the secondary stage. */
export async function makeCalledTask(storage: string, id: string, panel: PanelFile, calls: readonly WrittenCall[]) {
  await rm(`${storage}/tasks/${id}`, { recursive: true, force: true });
  const task = await makeTask({ storage, id, panel, samples: [{ name: 'S1' }] });
  const keyOf = (c: WrittenCall): string => alleleKey(panel.genome.value, { ...c, chrom: canonicalName(c.chrom) });
  const lines = calls.map(
    (c) => `${c.chrom}\t${c.pos}\t.\t${c.ref}\t${c.alt}\t.\tPASS\tKEY=${keyOf(c)}\tGT:DP:AD:VAF\t0/1:100:50,50:0.5\n`,
  );
  const head = '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\n';
  const bytes = gzipSync(head + lines.join(''));
  const folder = `${task.folder}/samples/S1/call`;
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/calls.vcf.gz`, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const outputs = [{ path: 'calls.vcf.gz', sha256, size: bytes.length, type: 'vcf' }];
  const result = {
    schema_version: 1,
    step: 'call',
    sample: 'S1',
    fingerprint: sha256,
    reused: false,
    outputs,
    metrics: {},
    tools: [],
    warnings: [],
  };
  await writeFile(`${folder}/result.json`, JSON.stringify(result));
  return { ...task, keyOf };
}

/** Returns the rows of a gzip table of the task, by column. */
export async function readRows(path: string): Promise<Record<string, string>[]> {
  const [head = '', ...lines] = gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split('\n');
  const columns = head.replace(/^#/, '').split('\t');
  return lines.map((line) => Object.fromEntries(line.split('\t').map((cell, i) => [columns[i]!, cell])));
}
