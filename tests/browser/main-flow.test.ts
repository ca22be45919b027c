/** The main job in a real browser on the whole product: launch in the wizard, follow, look at the results. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openDemoFolder, prepareDemo } from '../../scripts/demo/prepare.ts';
import { makeDemo } from '../../scripts/demo/run-demo.ts';
import { type Product, ROOT, startProduct } from '../support/product.ts';
import { ADMIN } from '../support/sign-in.ts';
import { openBrowser, tellOfPagesLeft, visit } from './browser.ts';
import { lookAt, screensOf } from './screens.ts';

const browser = await openBrowser();
let product: Product;
/** Paths of the finished task and of the project with its files. */
let task = '';
let project = '';

(browser ? describe : describe.skip)('the console on the whole product', () => {
  beforeAll(async () => {
    product = await startProduct();
    const client = await product.admin();
    const dir = await makeDemo(product.storageDir, join(ROOT, 'pipeline-images', 'bin', 'seqpanel-demo'));
    const demo = await openDemoFolder(dir, 'incoming/demo');
    const prepared = await prepareDemo(client, demo, { group: 'lab', project: 'run1' });
    project = `/tools/projects/${prepared.project}`;
  }, 300_000);

  afterEach(() => tellOfPagesLeft(browser));
  afterAll(async () => {
    await browser?.close();
    await product?.dispose();
  });

  test('[LAUNCH-02] [LAUNCH-12] [LAUNCH-13] [LAUNCH-42] [LAUNCH-45] [TASK-05] the wizard launches sample data files and the task is followed to its end without a reload', async () => {
    const { page, errors } = await visit(browser!, product.url, ADMIN);
    await page.goto(`${product.url}/secondary-analysis/launch`);
    await page.waitForURL(/launch\/start-from/);
    await page.locator('#launch-project').click();
    await page.getByRole('option', { name: /run1/ }).click();
    await page.locator('#launch-panel').click();
    await page.getByRole('option').first().click();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.waitForURL(/select-files/);
    await page.getByRole('button', { name: 'Select all matching' }).click();
    await page.getByText(/5 samples, 10 files/).waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.waitForURL(/edit-definition/);
    await page.getByRole('button', { name: /Accept 1 suggested pair/ }).click();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.waitForURL(/preview/);
    await page.locator('#run-name').fill('browser run');
    await page
      .getByText(/letters, digits|letters, numbers/i)
      .first()
      .waitFor();
    await page.locator('#run-name').fill('browser-run');
    await page.getByRole('button', { name: 'Start analysis' }).click();
    await page.getByRole('link', { name: 'Go to the results' }).click();
    await page.waitForURL(/secondary-analysis\/tasks\/[0-9a-f-]{36}/);
    task = new URL(page.url()).pathname;
    await page.getByText('Completed', { exact: true }).first().waitFor({ timeout: 240_000 });
    await page
      .getByText(/samples pass QC/)
      .first()
      .waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  }, 300_000);

  test('[RESULT-01] [RESULT-02] [RESULT-11] the variants tab shows the kept variants with their columns, and the drawer the evidence and the reads', async () => {
    const { page, errors } = await visit(browser!, product.url, ADMIN);
    await page.goto(`${product.url}${task}?tab=variants&sample=tumor1`);
    const grid = page.getByRole('grid');
    await grid.getByRole('rowheader').first().waitFor();
    const rows = Number(await grid.getAttribute('aria-rowcount')) - 1;
    expect(rows).toBeGreaterThanOrEqual(15);
    const headers = await grid.getByRole('columnheader').allTextContents();
    for (const column of [
      'Sample_ID',
      'Chromosome',
      'Position',
      'REF',
      'ALT',
      'Amplicon',
      'Read frequency',
      'Coverage',
      'Quality',
      'Strand ratio',
      'Consequence',
      'Impact',
      'Gene',
      'Transcript',
      'SIFT',
      'PolyPhen',
    ]) {
      expect(headers.map((text) => text.replace(/[▲▼\s]+$/, ''))).toContain(column);
    }
    await grid.getByRole('rowheader').first().getByRole('button').click();
    await page
      .getByText(/fragments \(/)
      .first()
      .waitFor();
    await page.getByText(/Showing \d+ reads/).waitFor();
    expect(page.url()).toContain('v=');
    expect(errors).toEqual([]);
    await page.context().close();
  }, 60_000);

  test('[IGV-06] the reads of a sample open in IGV without a request to another host', async () => {
    const { page } = await visit(browser!, product.url, ADMIN);
    const foreign: string[] = [];
    page.on(
      'requestfinished',
      (request) =>
        !request.url().startsWith(product.url) && !/^(data|blob):/.test(request.url()) && foreign.push(request.url()),
    );
    await page.goto(`${product.url}${task}?tab=igv&sample=tumor1`);
    await page
      .getByText(/Reads tumor1/)
      .first()
      .waitFor();
    expect(foreign).toEqual([]);
    await page.context().close();
  }, 60_000);

  test.each(['en', 'zh'] as const)(
    '[I18N-03] every screen in %s, at 1280 and 800 px and in the dark, has no error, no missing text and no violation of WCAG 2.2 AA',
    async (language) => {
      const { page, errors } = await visit(browser!, product.url, ADMIN, { language });
      const problems: string[] = [];
      for (const { name, path, open } of screensOf({ task, sample: 'tumor1', project })) {
        if (path) await page.goto(`${product.url}${path}`);
        await page.locator('h1').first().waitFor();
        await page.waitForLoadState('networkidle');
        await open?.(page);
        await page.waitForLoadState('networkidle');
        problems.push(...(await lookAt(page, name, language)));
      }
      // Runs last, because it ends the session. The chosen language is kept.
      await page.evaluate(() => sessionStorage.clear());
      await page.goto(`${product.url}/login`);
      await page.locator('#field-username').waitFor();
      problems.push(...(await lookAt(page, 'login', language)));
      expect(problems).toEqual([]);
      expect(errors).toEqual([]);
      await page.context().close();
    },
    600_000,
  );
});
