/** Measures one page, opened without cache in Chromium with throttled processor and network. */
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** Throttling for the limits: a laptop in the laboratory on a 10 Mbit line. */
const CPU_SLOWDOWN = 4;
const NETWORK = {
  offline: false,
  latency: 40,
  downloadThroughput: 10_000_000 / 8,
  uploadThroughput: 10_000_000 / 8,
};
/** The page is complete when nothing was requested or moved for this time. */
const QUIET_MS = 1_500;
const MOST_TABS = 150;

export interface PageFigures {
  requests: number;
  kilobytes: number;
  /** Largest contentful paint. */
  lcpMs: number;
  /** Sum of all layout shifts without input. */
  layoutShift: number;
  /** Presses of Tab (and Enter on a skip link) until the focus is in `target`; undefined if never. */
  tabs: number | undefined;
}

/** Returns the session storage of a logged-in page. A page opened with it needs no login. */
export type StoredSession = Record<string, string>;

export const storedSession = (page: Page): Promise<StoredSession> =>
  page.evaluate('({ ...sessionStorage })') as Promise<StoredSession>;

const OBSERVE = `
  globalThis.figures = { lcp: 0, shift: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) figures.lcp = entry.startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) figures.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Opens a page in a new context without cache and measures it. */
export async function measurePage(
  browser: Browser,
  session: StoredSession,
  { url, ready, target }: { url: string; ready: string; target: string },
): Promise<PageFigures> {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 } });
  try {
    const page = await openThrottled(context, session);
    let requests = 0;
    let bytes = 0;
    page.on('request', (request) => {
      if (/^https?:/.test(request.url())) requests++;
    });
    page.on('requestfinished', (request) => {
      void request
        .sizes()
        .then(({ responseBodySize }) => {
          bytes += responseBodySize;
        })
        .catch(() => undefined);
    });
    await page.goto(url);
    await page.locator(ready).first().waitFor({ timeout: 60_000 });
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(QUIET_MS);
    const { lcp, shift } = (await page.evaluate('figures')) as { lcp: number; shift: number };
    const figures = { requests, kilobytes: Math.round(bytes / 1024), lcpMs: Math.round(lcp), layoutShift: shift };
    return { ...figures, tabs: await tabsTo(page, target) };
  } finally {
    await context.close();
  }
}

async function openThrottled(context: BrowserContext, session: StoredSession): Promise<Page> {
  await context.addInitScript(
    (entries) => {
      for (const [key, value] of Object.entries(entries)) globalThis.sessionStorage.setItem(key, value);
    },
    session as Record<string, string>,
  );
  await context.addInitScript(OBSERVE);
  const page = await context.newPage();
  const chrome = await context.newCDPSession(page);
  await chrome.send('Network.enable');
  await chrome.send('Network.emulateNetworkConditions', NETWORK);
  await chrome.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return page;
}

/** Returns the place of the focus on a page with its results in `target`. */
const focusIn = (page: Page, target: string): Promise<'target' | 'skip link' | 'elsewhere'> =>
  page.evaluate(`(() => {
    const focused = document.activeElement;
    if (focused?.closest(${JSON.stringify(target)})) return 'target';
    return focused?.closest('.sp-skip-results') ? 'skip link' : 'elsewhere';
  })()`);

/** Presses Tab, and Enter on the skip link to the results. */
async function tabsTo(page: Page, target: string): Promise<number | undefined> {
  for (let pressed = 1; pressed <= MOST_TABS; pressed++) {
    await page.keyboard.press('Tab');
    const at = await focusIn(page, target);
    if (at === 'target') return pressed;
    if (at === 'skip link') {
      await page.keyboard.press('Enter');
      if ((await focusIn(page, target)) === 'target') return pressed + 1;
    }
  }
  return undefined;
}
