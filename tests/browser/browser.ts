/** A real Chromium for tests; Debian's, which npm test installs. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/** Starts Chromium. Prints the reason and returns undefined when there is none. */
export async function openBrowser(): Promise<Browser | undefined> {
  if (!existsSync(CHROMIUM)) {
    console.warn(`skipped: ${CHROMIUM} is not there (apt-get install chromium)`);
    return undefined;
  }
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Visitor {
  page: Page;
  /** Errors in the browser's console since the start. */
  errors: string[];
}

const errorsOf = new WeakMap<Page, string[]>();

/** For afterEach: prints the page that a failed test left open to stderr, and closes it. */
export async function tellOfPagesLeft(browser: Browser | undefined): Promise<void> {
  for (const context of browser?.contexts() ?? []) {
    for (const page of context.pages()) {
      const text = await page.innerText('body', { timeout: 5_000 }).catch((error: Error) => error.message);
      const errors = errorsOf.get(page)?.join('\n  ') || 'none';
      process.stderr.write(`left open: ${page.url()}\n${text.slice(0, 1500)}\nerrors: ${errors}\n`);
    }
    await context.close();
  }
}

/** Opens a page with the given language and width, logged in. */
export async function visit(
  browser: Browser,
  url: string,
  login: { username: string; password: string },
  look: { language?: 'en' | 'zh'; width?: number } = {},
): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: look.width ?? 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const errors: string[] = [];
  errorsOf.set(page, errors);
  page.on('response', (response) => response.status() >= 400 && errors.push(`${response.status()} ${response.url()}`));
  page.on(
    'console',
    (message) =>
      message.type() === 'error' &&
      !message.text().startsWith('Failed to load resource') &&
      errors.push(message.text()),
  );
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${url}/login`);
  await page.locator('#field-username').fill(login.username);
  await page.locator('#field-password').fill(login.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(/dashboard/);
  // Waits for the page's code, because leaving earlier would abort its loading, which is an error in the console.
  await page.locator('h1').first().waitFor();
  // The profile stores the last chosen language.
  const language = look.language ?? 'en';
  if ((await page.locator('html').getAttribute('lang')) !== language) {
    await page.getByRole('button', { name: /English|中文/ }).click();
    await page.getByRole('option', { name: language === 'zh' ? '中文' : 'English' }).click();
    await page.locator(`html[lang=${language}]`).waitFor();
  }
  return { page, errors };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the page's violations of WCAG 2.2 A and AA, or of one axe rule, one per line. */
export async function axeViolations(page: Page, only?: { rule: string }): Promise<string[]> {
  // Uses the debugger, because the page's policy forbids other scripts.
  await page.evaluate(AXE);
  return page.evaluate(async (rule) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (
          context: object,
          options: object,
        ) => Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>;
      };
    };
    // Skips the shadow root of igv.js, which we cannot fix.
    const result = await axe.run(
      { exclude: [['.sp-igv']] },
      { runOnly: rule === undefined ? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] : [rule] },
    );
    return result.violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map((node) => node.target.join(' '))
          .join(' | ')}`,
    );
  }, only?.rule);
}
