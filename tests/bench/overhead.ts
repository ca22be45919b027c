/**
 * npm run bench:overhead -- [runs]: the overhead of the platform compared with the same work as a script. Alternates
 * whole tasks (germline1, control1-3 of the simulated panel) with bare.sh on the same machine; the bound is T <= 1.02
 * x bare + 0.3 s a Job + 0.25 s a pod, on medians. The last line ends with `ratio <T/bare>`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { STEP_LABEL, TASK_LABEL } from '@seqpanel/crds/kinds.ts';
import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { accessFromFile } from '@seqpanel/crds/kube/kubeconfig.ts';
import { CONFIG_MAPS, JOBS } from '@seqpanel/crds/kube/objects.ts';
import { launchDemo } from '../../scripts/demo/launch.ts';
import { prepareDemo } from '../../scripts/demo/prepare.ts';
import { API } from '../../scripts/demo/rest-client.ts';
import { openDataSet } from '../support/data-folder.ts';
import { testData } from '../support/pipeline-task.ts';
import { ROOT, startProduct } from '../support/product.ts';

const PER_JOB_S = 0.3;
const PER_POD_S = 0.25;
const SAMPLES = ['germline1', 'control1', 'control2', 'control3'];

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const data = testData();
if (!data) {
  console.log('skipped: the public test data is not on this machine (SEQPANEL_TEST_DATA)');
  process.exit(0);
}
const runs = Number(process.argv[2] ?? 5);
const sim = `${data}/sim_panel`;
const product = await startProduct();
try {
  const client = await product.admin();
  const folder = await openDataSet(client, product, {
    value: 'sim',
    fasta: `${data}/hg19_panel_ref/hg19mini.fa.gz`,
    design: {
      bed: readFileSync(`${sim}/panel.bed`, 'utf8'),
      insertBed: readFileSync(`${sim}/targets.insert.bed`, 'utf8'),
    },
    samples: SAMPLES.map((name) => ({ name, r1: `${sim}/${name}_R1.fastq.gz`, r2: `${sim}/${name}_R2.fastq.gz` })),
  });
  const kube = new KubeClient(await accessFromFile(join(product.dataDir, 'kubeconfig')), { namespace: 'seqpanel' });
  const product_s: number[] = [];
  const bare_s: number[] = [];
  let jobs = 0;
  let pods = 0;
  for (let run = 1; run <= runs; run++) {
    // A new group, so that no result of an earlier run is reused.
    const prepared = await prepareDemo(client, folder, { group: `bench${run}`, project: 'reads' });
    const started = performance.now();
    const id = await launchDemo(client, folder, prepared, { name: `bench${run}`, idempotencyKey: `overhead-${run}` });
    for (;;) {
      const task = await client.get<{ status: string; reason: string | null }>(`${API}/${prepared.group}/tasks/${id}`);
      if (task.status === 'completed') break;
      if (task.status === 'failed') throw new Error(`the task failed: ${task.reason}`);
      await wait(25);
    }
    product_s.push((performance.now() - started) / 1000);
    const signal = AbortSignal.timeout(10_000);
    const own = await kube.list(JOBS, { signal, labelSelector: `${TASK_LABEL}=${id}` });
    jobs = new Set(own.items.map((job) => job.metadata.labels?.[STEP_LABEL])).size;
    pods = own.items.reduce((sum, job) => sum + (job.spec?.completions ?? 1), 0);
    const out = mkdtempSync(join(tmpdir(), 'seqpanel-bare-'));
    const spec = await kube.get(CONFIG_MAPS, `${id}-spec`, { signal });
    writeFileSync(`${out}.json`, spec.data!['task.json']!);
    const seconds = execFileSync(
      'bash',
      [join(ROOT, 'tests/bench/bare.sh'), product.storageDir, `tasks/${id}`, `${out}.json`, out],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    );
    bare_s.push(Number(seconds.trim().split('\n').at(-1)));
    rmSync(out, { recursive: true, force: true });
    rmSync(`${out}.json`);
    console.log(`run ${run}: product ${product_s.at(-1)!.toFixed(2)} s, bare ${bare_s.at(-1)!.toFixed(2)} s`);
  }
  const t = median(product_s);
  const bare = median(bare_s);
  const bound = 1.02 * bare + PER_JOB_S * jobs + PER_POD_S * pods;
  console.log(
    `${jobs} Jobs, ${pods} pods: product ${t.toFixed(2)} s, bound ${bound.toFixed(2)} s, bare ${bare.toFixed(2)} s, ratio ${(t / bare).toFixed(3)}`,
  );
  process.exitCode = t <= bound ? 0 : 1;
} finally {
  await product.dispose();
}
