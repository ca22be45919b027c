/** Session, projects and uploads in a real browser on the whole product. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Product, startProduct } from '../support/product.ts';
import { ADMIN } from '../support/sign-in.ts';
import { axeViolations, openBrowser, tellOfPagesLeft, visit } from './browser.ts';

const browser = await openBrowser();
const files = mkdtempSync(join(tmpdir(), 'seqpanel-files-'));
let product: Product;

/** Returns a gzipped FASTQ of about `kb` kilobytes with random bases. */
function fastq(name: string, kb: number): string {
  const reads = Array.from({ length: kb * 2 }, (_, i) => {
    const bases = [...randomBytes(500)].map((byte) => 'ACGT'[byte & 3]).join('');
    return `@${name}:${i}\n${bases}\n+\n${'I'.repeat(500)}\n`;
  });
  const path = join(files, name);
  writeFileSync(path, gzipSync(reads.join(''), { level: 1 }));
  return path;
}

(browser ? describe : describe.skip)('session and files in the browser', () => {
  beforeAll(async () => {
    product = await startProduct();
    const client = await product.admin();
    const profile = await client.get<{ user_id: string }>('/api/v1/pivat/profile');
    for (const [name, isDefault] of [
      ['lab_a', true],
      ['lab_b', false],
    ] as const) {
      await client.post('/api/v1/pivat/admin/groups', {
        name,
        display_name: name,
        members: [{ user_id: profile.user_id, is_group_admin: true, is_default: isDefault }],
      });
    }
  }, 120_000);

  afterEach(() => tellOfPagesLeft(browser));
  afterAll(async () => {
    await browser?.close();
    await product?.dispose();
    rmSync(files, { recursive: true, force: true });
  });

  test('[AUTH-19] a link opens in a second tab without a login, and a logout ends both', async () => {
    const { page, errors } = await visit(browser!, product.url, ADMIN);
    const second = await page.context().newPage();
    await second.goto(`${product.url}/tools/projects`);
    await second.getByRole('heading', { name: 'Data management' }).waitFor();
    await page.getByRole('button', { name: 'User menu of admin' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.waitForURL(/\/login$/);
    await second.waitForURL(/\/login/);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(errors).toEqual([]);
    await page.context().close();
  }, 60_000);

  test('a one-time password opens the page that changes it and then the requested page', async () => {
    const admin = await product.admin();
    await admin.post('/api/v1/pivat/admin/users', { username: 'beginner', password: 'First-Horse7' });
    const context = await browser!.newContext();
    const page = await context.newPage();
    await page.goto(`${product.url}/login?next=%2Fuser-settings`);
    await page.locator('#field-username').fill('beginner');
    await page.locator('#field-password').fill('First-Horse7');
    await page.keyboard.press('Enter');
    await page.waitForURL(/change-password\?next=%2Fuser-settings/);
    await page.getByText('You logged in with a one-time password').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    // No other page opens before the change.
    await page.goto(`${product.url}/tools/projects`);
    await page.waitForURL(/change-password/);
    await page.goto(`${product.url}/change-password?next=%2Fuser-settings`);
    await page.locator('#field-current_password').fill('First-Horse7');
    for (const field of ['new', 'repeat']) await page.locator(`#field-${field}_password`).fill('P@ssw0rd');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('This password is too common').waitFor();
    for (const field of ['new', 'repeat']) await page.locator(`#field-${field}_password`).fill('Second-Horse8');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.waitForURL(/\/user-settings$/);
    await page.getByRole('heading', { name: 'User settings' }).waitFor();
    await context.close();
  }, 60_000);

  test('[PROJ-02] [UPLOAD-01] [UPLOAD-03] [UPLOAD-07] [UPLOAD-09] an upload is paused, interrupted by a reload and resumed from the stored bytes to the same content', async () => {
    const big = fastq('S1_S1_L001_R1_001.fastq.gz', 6_000);
    const small = fastq('S1_S1_L001_R2_001.fastq.gz', 20);
    const { page } = await visit(browser!, product.url, ADMIN);
    await page.goto(`${product.url}/tools/projects`);
    await page.getByRole('button', { name: 'Add project' }).first().click();
    await page.locator('#field-name').fill('run_1');
    await page.getByRole('dialog').getByRole('button', { name: 'Add project' }).click();
    await page.getByRole('link', { name: 'run_1' }).click();
    await page.getByRole('link', { name: 'Upload files' }).first().click();
    await page.getByRole('heading', { name: 'Upload files' }).waitFor();
    const network = await page.context().newCDPSession(page);
    const limit = (uploadThroughput: number) =>
      network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
    await limit(300_000);
    writeFileSync(join(files, 'notes.txt'), 'x');
    await page.locator('input[type=file]').setInputFiles([big, small, join(files, 'notes.txt')]);
    await page.getByText('This file format is not supported').waitFor();
    await page
      .getByRole('row', { name: /R2_001/ })
      .getByText('Completed')
      .waitFor();
    await page.getByRole('button', { name: 'Pause S1_S1_L001_R1_001.fastq.gz' }).click();
    await page
      .getByRole('row', { name: /R1_001/ })
      .getByText('Paused')
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.reload();
    await page.getByText('Select the file again').waitFor();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.headers()['upload-offset'] ?? '');
    });
    await limit(-1);
    await page.locator('input[type=file]').setInputFiles([big]);
    await page
      .getByRole('row', { name: /R1_001/ })
      .getByText('Completed')
      .waitFor({ timeout: 60_000 });
    expect(Number(sent[0])).toBeGreaterThan(0);
    await page.goto(`${product.url}/tools/projects`);
    await page.getByRole('link', { name: 'run_1' }).click();
    await page
      .getByRole('row', { name: /R1_001.*R2_001|R2_001.*R1_001/ })
      .first()
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  }, 120_000);

  test('the chosen group is in the address, and its list has no project of the other group', async () => {
    const { page, errors } = await visit(browser!, product.url, ADMIN);
    await page.goto(`${product.url}/tools/projects`);
    await page.getByRole('button', { name: 'Group: lab_a' }).click();
    await page.getByRole('option', { name: /lab_b/ }).click();
    await page.waitForURL(/\?group=[0-9a-f-]{36}$/);
    await page.getByText('No project yet').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'run_1' }).waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  }, 60_000);

  test('[ERR-07] calls are retried with a banner while the server is unreachable for a moment', async () => {
    const { page } = await visit(browser!, product.url, ADMIN);
    await page.goto(`${product.url}/tools/projects`);
    await page.getByRole('link', { name: 'run_1' }).waitFor();
    let refused = 0;
    await page.route('**/filelist*', (route) => (refused++ < 2 ? route.abort() : route.continue()));
    await page.getByRole('link', { name: 'run_1' }).click();
    await page.getByText(/Reconnecting… [12]\/5/).waitFor();
    await page
      .getByRole('row', { name: /R1_001/ })
      .first()
      .waitFor();
    await page.getByText(/Reconnecting/).waitFor({ state: 'detached' });
    await page.context().close();
  }, 60_000);

  test('[I18N-03] the language is stored for the next login, and in the profile for another browser', async () => {
    const { page } = await visit(browser!, product.url, ADMIN, { language: 'zh' });
    await page.getByRole('button', { name: 'admin 的用户菜单' }).click();
    await page.getByRole('menuitem', { name: '退出登录' }).click();
    await page.getByRole('heading', { name: '登录' }).waitFor();
    await page.context().close();
    const fresh = await browser!.newContext();
    const other = await fresh.newPage();
    await other.goto(`${product.url}/login`);
    await other.locator('#field-username').fill(ADMIN.username);
    await other.locator('#field-password').fill(ADMIN.password);
    await other.keyboard.press('Enter');
    await other.getByRole('heading', { level: 1, name: '仪表板' }).waitFor();
    await fresh.close();
  }, 60_000);
});
