/** The admin's tabs in a real browser on the whole product. The test writes a pool's status like the operator. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import { API_VERSION } from '@seqpanel/crds/kinds.ts';
import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { accessFromFile } from '@seqpanel/crds/kube/kubeconfig.ts';
import { WORKER_POOLS } from '@seqpanel/crds/kube/objects.ts';
import { followTask } from '../../scripts/demo/follow-task.ts';
import { launchDemo } from '../../scripts/demo/launch.ts';
import { openDemoFolder, prepareDemo } from '../../scripts/demo/prepare.ts';
import { makeDemo } from '../../scripts/demo/run-demo.ts';
import { type Product, ROOT, startProduct } from '../support/product.ts';
import { ADMIN } from '../support/sign-in.ts';
import { axeViolations, openBrowser, tellOfPagesLeft, visit } from './browser.ts';

const browser = await openBrowser();
const signal = new AbortController().signal;
const PATH = '/system-settings/tasks';
let product: Product;
let kube: KubeClient;
let task = '';

const worker = (node: string, more: object = {}) => ({
  node,
  instanceId: `aws:///eu-1/${node}`,
  cloudStatus: 'Running',
  registerStatus: 'Ready',
  registerDate: '2026-01-01T00:00:00Z',
  ipAddress: '10.0.12.7',
  ...more,
});
const status = (written: WorkerPool['status']) =>
  kube.patch(WORKER_POOLS, 'cpu', { status: written }, { signal, subresource: 'status' });

(browser ? describe : describe.skip)("the admin's tasks, workers and task results on the whole product", () => {
  beforeAll(async () => {
    product = await startProduct();
    kube = new KubeClient(await accessFromFile(join(product.dataDir, 'kubeconfig')));
    const client = await product.admin();
    const dir = await makeDemo(product.storageDir, join(ROOT, 'pipeline-images', 'bin', 'seqpanel-demo'));
    const folder = await openDemoFolder(dir, 'incoming/demo');
    const prepared = await prepareDemo(client, folder, { group: 'lab', project: 'run1' });
    const samples = [folder.manifest.samples[0]!.name];
    task = await launchDemo(client, folder, prepared, { name: 'one-sample', idempotencyKey: 'one-sample', samples });
    await followTask(client, prepared.group, task, () => {});
    const pool = {
      apiVersion: API_VERSION,
      kind: 'WorkerPool',
      metadata: { name: 'cpu' },
      spec: { queue: 'cpu', min: 0, max: 4, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Nodes', name: 'cpu' } },
    } as WorkerPool;
    await kube.create(WORKER_POOLS, pool, { signal });
  }, 300_000);

  afterEach(() => tellOfPagesLeft(browser));
  afterAll(async () => {
    await browser?.close();
    await kube?.close();
    await product?.dispose();
  });

  test('[WORK-01] [WORK-03] [K8S-15] workers of a pool appear and disappear on the open page without a reload', async () => {
    const { page, errors } = await visit(browser!, product.url, ADMIN);
    await page.goto(`${product.url}${PATH}`);
    await page.getByRole('tab', { name: 'Autoscale workers' }).click();
    await page.getByRole('heading', { name: 'cpu', exact: true }).waitFor();
    await status({
      desired: 2,
      ready: 1,
      pendingPods: 3,
      runningPods: 1,
      workers: [worker('n1', { task }), worker('n2', { registerStatus: 'Pending', idleSince: '2026-01-01T01:00:00Z' })],
      conditions: [
        {
          type: 'Scaling',
          status: 'True',
          reason: 'ScalingOut',
          message: '1 stage pod run and 3 wait: 2 nodes wanted.',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
    await page.getByText('2 nodes wanted', { exact: false }).waitFor();
    await page.getByText('1 / 2', { exact: true }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'aws:///eu-1/n1' });
    await row.getByRole('link', { name: 'one-sample' }).waitFor();
    for (const text of ['cpu', 'Running', 'Ready', '2026-01-01 00:00:00', '10.0.12.7'])
      expect(await row.getByText(text, { exact: true }).count()).toBeGreaterThan(0);
    await status({ desired: 1, ready: 1, workers: [worker('n1')] });
    await page.getByRole('row').filter({ hasText: 'aws:///eu-1/n2' }).getByText('Gone', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('grid', { name: 'Changes of the last 6 hours' }).getByRole('row').nth(2).waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  }, 90_000);

  test('[WORK-02] [WORK-04] the task is listed with its worker, and each of its steps has a result that opens', async () => {
    const { page, errors } = await visit(browser!, product.url, ADMIN);
    await status({ desired: 1, ready: 1, workers: [worker('n1', { task })] });
    await page.goto(`${product.url}${PATH}`);
    await page.getByRole('row').filter({ hasText: 'one-sample' }).getByText('n1', { exact: true }).waitFor();
    await page.goto(`${product.url}${PATH}?tab=results&q=cohort`);
    await page.getByRole('button', { name: /^result\.json of cohort, attempt 1, of one-sample/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"step": "cohort"').waitFor();
    await dialog.getByText('cohort.log').waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  }, 90_000);

  test.each([
    ['en', 800],
    ['zh', 1280],
  ] as const)(
    'each tab opens in %s at %i px without an error, a missing text or a violation of WCAG 2.2 AA',
    async (language, width) => {
      const { page, errors } = await visit(browser!, product.url, ADMIN, { language, width });
      const problems: string[] = [];
      for (const tab of ['tasks', 'workers', 'results']) {
        await page.goto(`${product.url}${PATH}?tab=${tab}`);
        await page.waitForLoadState('networkidle');
        await page.getByRole('rowheader').first().waitFor();
        if (tab === 'workers') await page.locator('.sp-pool-chart svg').first().waitFor();
        for (const violation of await axeViolations(page)) problems.push(`${tab}: ${violation}`);
        const text = await page.locator('body').innerText();
        for (const key of text.match(/\b(system_tasks|tasks|common|table|frame)\.[a-z_]+(\.[a-z_]+)*\b/g) ?? [])
          problems.push(`${tab}: text ${key} is missing`);
        const dir = process.env['SEQPANEL_SCREENSHOTS'];
        if (dir) {
          mkdirSync(dir, { recursive: true });
          await page.screenshot({ path: join(dir, `system-${tab}-${language}-${width}.png`), fullPage: true });
        }
      }
      expect(problems).toEqual([]);
      expect(errors).toEqual([]);
      await page.context().close();
    },
    120_000,
  );
});
