/** The whole way of real reads: through the public API into the tables that the screens show. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { followTask } from '../../operator/src/local/demo/follow-task.ts';
import { launchDemo } from '../../operator/src/local/demo/launch.ts';
import { prepareDemo } from '../../operator/src/local/demo/prepare.ts';
import { API } from '../../operator/src/local/demo/rest-client.ts';
import { openDataSet } from '../support/data-folder.ts';
import { testData } from '../support/pipeline-task.ts';
import { type Product, startProduct } from '../support/product.ts';

/** The reference of the data set is cut here; a panel with amplicons beyond it is refused. */
const REFERENCE_END = 7_578_245;
const insideReference = (bedpe: string): string =>
  bedpe
    .split('\n')
    .filter((line) => Number(line.split('\t')[5]) <= REFERENCE_END)
    .join('\n');

const data = testData();
let product: Product;

(data ? describe : describe.skip)(
  'tp53_amplicon_b37 through the API (skipped where the public test data is absent)',
  () => {
    beforeAll(async () => {
      product = await startProduct();
    }, 90_000);
    afterAll(() => product?.dispose());

    test('[RESULT-02] [K8S-31] rs1625895 is called at 41 % of 375 fragments, and nothing else above 5 %', async () => {
      const client = await product.admin();
      const folder = await openDataSet(client, product, {
        value: 'tp53',
        fasta: `${data}/tp53_amplicon_b37/hs_b37_chr17_upto_TP53.fasta.gz`,
        design: { bedpe: insideReference(readFileSync(`${data}/tp53_amplicon_b37/TP53.bedpe`, 'utf8')) },
        samples: [
          {
            name: 'TP53',
            r1: `${data}/tp53_amplicon_b37/TP53_1.fastq.gz`,
            r2: `${data}/tp53_amplicon_b37/TP53_2.fastq.gz`,
          },
        ],
      });
      const prepared = await prepareDemo(client, folder, { group: 'lab', project: 'tp53' });
      const id = await launchDemo(client, folder, prepared, { name: 'tp53', idempotencyKey: 'tp53-through-api' });
      const task = await followTask(client, prepared.group, id, () => {});
      expect(task.failures).toEqual([]);
      expect(task.status).toBe('completed');
      type Row = { pos: number; ref: string; alt: string; vaf: number; depth: number };
      const page = await client.get<{ results: Row[] }>(
        `${API}/${prepared.group}/tasks/${id}/variants?show=called&page_size=1000`,
      );
      const above = page.results.filter((row) => row.vaf > 0.05);
      expect(above.map((row) => `${row.pos} ${row.ref}>${row.alt}`)).toEqual(['7578115 T>C']);
      const [call] = above;
      expect(call!.vaf).toBeGreaterThan(0.39);
      expect(call!.vaf).toBeLessThan(0.43);
      expect(call!.depth).toBeGreaterThan(375 * 0.95);
      expect(call!.depth).toBeLessThan(375 * 1.05);
    }, 180_000);
  },
);
