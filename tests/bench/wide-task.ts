/**
 * npm run bench:wide-task: applies a task of 384 samples with 8 files each as with kubectl. Prints the size of the
 * stored object and the time to open its page in Chromium (limit 1 s, median of 5).
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { accessFromFile } from '@seqpanel/crds/kube/kubeconfig.ts';
import { ANALYSIS_TASKS } from '@seqpanel/crds/kube/objects.ts';
import { ensureGroup, ensureProject } from '../../scripts/demo/prepare.ts';
import { API } from '../../scripts/demo/rest-client.ts';
import { openBrowser, visit } from '../browser/browser.ts';
import { startProduct } from '../support/product.ts';
import { ADMIN } from '../support/sign-in.ts';

const PAGE_MS = 1_000;
const RUNS = 5;

const browser = await openBrowser();
if (!browser) process.exit(0);
const product = await startProduct();
try {
  const client = await product.admin();
  const group = await ensureGroup(client, 'lab', 'lab');
  const project = await ensureProject(client, group, 'wide');
  const kube = new KubeClient(await accessFromFile(join(product.dataDir, 'kubeconfig')), { namespace: 'seqpanel' });
  const id = randomUUID();
  const zeros = '0'.repeat(64);
  const signal = AbortSignal.timeout(60_000);
  const stored = await kube.create(
    ANALYSIS_TASKS,
    {
      apiVersion: 'seqpanel.dev/v1alpha1',
      kind: 'AnalysisTask',
      metadata: { name: id },
      spec: {
        name: 'wide',
        group,
        project,
        panelType: { name: 'wide', sha256: zeros },
        pipeline: { name: 'panel-1.0.0', version: '1.0.0' },
        preset: { name: 'default', sha256: zeros },
        frozen: zeros,
        source: 'fq',
        samples: Array.from({ length: 384 }, (_, sample) => ({
          name: `sample-${String(sample + 1).padStart(3, '0')}`,
          libraryId: `library-${sample + 1}`,
          files: Array.from({ length: 8 }, (_each, file) => ({
            name: `sample-${sample + 1}_S${sample + 1}_L00${(file >> 1) + 1}_R${(file % 2) + 1}_001.fastq.gz`,
            read: file % 2 === 0 ? ('R1' as const) : ('R2' as const),
            lane: `L00${(file >> 1) + 1}`,
          })),
        })),
      },
    },
    { signal },
  );
  console.log(`stored object ${Math.round(JSON.stringify(stored).length / 1024)} KiB`);
  for (;;) {
    const answer = await client.raw(`${API}/${group}/tasks/${id}`);
    if (answer.ok) break;
    signal.throwIfAborted();
  }
  const { page } = await visit(browser, product.url, ADMIN);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const from = performance.now();
    await page.goto(`${product.url}/secondary-analysis/tasks/${id}`, { waitUntil: 'commit' });
    await page.getByText('sample-020').first().waitFor();
    times.push(performance.now() - from);
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)]!;
  console.log(
    `page of 384 samples: ${times.map((time) => `${Math.round(time)} ms`).join(', ')}; median ${Math.round(median)} ms, bound ${PAGE_MS} ms`,
  );
  process.exitCode = median <= PAGE_MS ? 0 : 1;
} finally {
  await browser.close();
  await product.dispose();
}
process.exit();
