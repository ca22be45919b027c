/** The public data set of the installation's tests, and its expected calls. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { API, type RestClient } from '../../../scripts/demo/rest-client.ts';
import type { DataSet } from '../../support/data-folder.ts';

/** A public amplicon data set: one sample, one known variant (tests/accuracy judges it). */
export function tp53(data: string): DataSet {
  const folder = `${data}/tp53_amplicon_b37`;
  // The reference of the data set ends here, and a panel with amplicons beyond it is rejected.
  const end = 7_578_245;
  const lines = readFileSync(`${folder}/TP53.bedpe`, 'utf8').split('\n');
  return {
    value: 'tp53',
    fasta: `${folder}/hs_b37_chr17_upto_TP53.fasta.gz`,
    design: { bedpe: lines.filter((line) => Number(line.split('\t')[5]) <= end).join('\n') },
    samples: [{ name: 'TP53', r1: `${folder}/TP53_1.fastq.gz`, r2: `${folder}/TP53_2.fastq.gz` }],
  };
}

/** Returns the calls of the sample on the storage, without the header. */
export async function callsOf(client: RestClient, group: string, task: string): Promise<string[]> {
  const path = encodeURIComponent('samples/TP53/call/calls.vcf.gz');
  const answer = await client.raw(`${API}/${group}/tasks/${task}/output/file?path=${path}`);
  if (!answer.ok) throw new Error(`the calls of task ${task}: ${answer.status}`);
  const text = gunzipSync(Buffer.from(await answer.arrayBuffer())).toString();
  return text.split('\n').filter((line) => !line.startsWith('##'));
}
