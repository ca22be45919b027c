/** Every screen of the console, checked in both widths in the light theme, and in the dark theme. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { axeViolations } from './browser.ts';

/** Parts of the addresses of screens. */
export interface Places {
  /** Path of a finished task. */
  task: string;
  /** A sample of it. */
  sample: string;
  /** Path of a project with files. */
  project: string;
}

export interface Screen {
  name: string;
  path: string;
  /** Waits for a part of the screen, or opens it, before the check. */
  open?: (page: Page) => Promise<unknown>;
}

/** The wizard's Next button, in any language. */
const next = (page: Page) => page.locator('.sp-no-print button.pf-m-primary').click();

const pressAndWait = (key: string, role: 'dialog') => async (page: Page) => {
  await page.keyboard.press(key);
  await page.getByRole(role).waitFor();
};

export function screensOf({ task, sample, project }: Places): Screen[] {
  const launch = '/secondary-analysis/launch/start-from';
  return [
    { name: 'dashboard', path: '/dashboard' },
    { name: 'shortcuts', path: '/dashboard', open: pressAndWait('?', 'dialog') },
    { name: 'go-to', path: '/dashboard', open: pressAndWait('/', 'dialog') },
    { name: 'projects', path: '/tools/projects' },
    { name: 'project', path: project, open: (page) => page.getByRole('row').nth(1).waitFor() },
    { name: 'upload', path: `${project}/upload` },
    { name: 'tasks', path: '/secondary-analysis/tasks', open: (page) => page.getByRole('row').nth(1).waitFor() },
    { name: 'task', path: task },
    { name: 'variants', path: `${task}?tab=variants`, open: (page) => page.getByRole('rowheader').first().waitFor() },
    {
      name: 'variant-evidence',
      path: `${task}?tab=variants&sample=${sample}`,
      open: async (page) => {
        await page.getByRole('rowheader').first().getByRole('button').click();
        await page.locator('.sp-pileup').waitFor();
      },
    },
    { name: 'qc', path: `${task}?tab=qc`, open: (page) => page.getByRole('row').nth(1).waitFor() },
    {
      name: 'igv',
      path: `${task}?tab=igv&sample=${sample}`,
      open: (page) => page.getByText(new RegExp(sample)).last().waitFor(),
    },
    { name: 'logfile', path: `${task}/logfile` },
    { name: 'output', path: `${task}/output` },
    { name: 'taskinfo', path: `${task}/taskinfo` },
    { name: 'user-settings', path: '/user-settings' },
    { name: 'user-settings-password', path: '/user-settings?tab=password' },
    { name: 'user-settings-session', path: '/user-settings?tab=session' },
    { name: 'software-list', path: '/software-list' },
    { name: 'system-tasks', path: '/system-settings/tasks' },
    { name: 'error', path: '/error' },
    { name: 'not-found', path: '/secondary-analysis/tasksx' },
    { name: 'launch-1', path: launch },
    // The finished task's definition fills the wizard. The next steps are on the same page.
    {
      name: 'launch-2',
      path: `${launch}?from=${task.split('/').at(-1)}`,
      open: async (page) => {
        await page.waitForURL((url) => !url.searchParams.has('from'));
        await next(page);
        await page.waitForURL(/select-files/);
      },
    },
    {
      name: 'launch-3',
      path: '',
      open: async (page) => {
        await next(page);
        await page.waitForURL(/edit-definition/);
      },
    },
    {
      name: 'launch-4',
      path: '',
      open: async (page) => {
        await next(page);
        await page.waitForURL(/preview/);
      },
    },
    {
      name: 'launch-5',
      path: '',
      open: async (page) => {
        await page.locator('#run-name').fill(`again-${Date.now()}`);
        await next(page);
        await page.locator('.pf-v6-c-empty-state.pf-m-success').waitFor();
      },
    },
  ];
}

/** Stores a screenshot in the folder SEQPANEL_SCREENSHOTS, if set. */
async function picture(page: Page, name: string): Promise<void> {
  const dir = process.env['SEQPANEL_SCREENSHOTS'];
  if (!dir) return;
  mkdirSync(dir, { recursive: true });
  await page.screenshot({ path: join(dir, `${name}.png`), fullPage: true });
}

/**
 * `axe` by language. Both languages have the same elements, so each look is checked in one of them, the narrow one in
 * both.
 */
const LOOKS = [
  { name: '1280', width: 1280, colorScheme: 'light', axe: { en: 'all', zh: 'none' } },
  { name: '800', width: 800, colorScheme: 'light', axe: { en: 'all', zh: 'all' } },
  // In the dark theme only the colours differ.
  { name: '1280-dark', width: 1280, colorScheme: 'dark', axe: { en: 'color-contrast', zh: 'none' } },
] as const;

/** Matches a text key that is shown instead of its text. */
const KEY =
  /\b(tasks|task_detail|variants|qc|launch|output|taskinfo|common|table|frame|errors|upload)\.[a-z_]+(\.[a-z_]+)*\b/g;

/** Returns the problems of the open page in each look: violations of WCAG, missing texts, horizontal scrolling. */
export async function lookAt(page: Page, name: string, language: 'en' | 'zh'): Promise<string[]> {
  const problems: string[] = [];
  for (const look of LOOKS) {
    await page.setViewportSize({ width: look.width, height: 900 });
    await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: 'reduce' });
    const isDark = look.colorScheme === 'dark';
    await page.locator(isDark ? 'html.pf-v6-theme-dark' : 'html:not(.pf-v6-theme-dark)').waitFor({ state: 'attached' });
    // Waits for the end of transitions before measuring.
    await page.evaluate(
      'document.getAnimations().filter((a) => a instanceof CSSTransition).forEach((a) => a.finish())',
    );
    const say = (problem: string) => problems.push(`${name} ${language} ${look.name}: ${problem}`);
    const rules = look.axe[language];
    if (rules !== 'none') {
      const only = rules === 'all' ? undefined : { rule: rules };
      for (const violation of await axeViolations(page, only)) say(violation);
    }
    const wide: number = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    if (wide > 0) say(`the page is ${wide} px wider than the window`);
    for (const key of (await page.locator('body').innerText()).match(KEY) ?? []) say(`text ${key} is missing`);
    await picture(page, `${name}-${language}-${look.name}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  return problems;
}
