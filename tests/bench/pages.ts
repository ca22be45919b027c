/**
 * npm run bench:pages: the dashboard, the list of tasks and the variants of the demo's task in Chromium, each opened
 * with an empty cache, a processor slowed down 4 times and a line of 10 Mbit/s. Prints requests, bytes, the largest
 * contentful paint, the layout shift and the number of Tab presses to the results. Fails over a limit. Uses the median
 * paint of three rounds; ROUNDS=n changes their number.
 */
import { join } from 'node:path';
import { followTask } from '../../scripts/demo/follow-task.ts';
import { launchDemo } from '../../scripts/demo/launch.ts';
import { openDemoFolder, prepareDemo } from '../../scripts/demo/prepare.ts';
import { makeDemo } from '../../scripts/demo/run-demo.ts';
import { openBrowser, visit } from '../browser/browser.ts';
import { measurePage, type PageFigures, storedSession } from '../browser/page-figures.ts';
import { type Product, ROOT, startProduct } from '../support/product.ts';
import { ADMIN } from '../support/sign-in.ts';

const LIMITS = { requests: 25, lcpMs: 1_700, layoutShift: 0.05, tabs: 10 };
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);

const browser = await openBrowser();
if (!browser) process.exit(1);
const product = await startProduct();
try {
  const task = await finishedDemo(product);
  const { page } = await visit(browser, product.url, ADMIN);
  const session = await storedSession(page);
  await page.context().close();
  const pages = [
    { name: 'dashboard', path: '/dashboard', ready: 'main h1', target: 'main' },
    { name: 'tasks', path: '/secondary-analysis/tasks', ready: 'main tbody a', target: '[data-region=results]' },
    { name: 'variants', path: `${task}?tab=variants`, ready: '[role=rowheader]', target: '[role=grid]' },
  ];
  let isOver = false;
  for (const { name, path, ready, target } of pages) {
    const rounds: PageFigures[] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push(await measurePage(browser, session, { url: `${product.url}${path}`, ready, target }));
    const figures = rounds.toSorted((a, b) => a.lcpMs - b.lcpMs)[Math.floor(ROUNDS / 2)]!;
    const over = overLimits(figures);
    isOver ||= over.length > 0;
    console.log(
      `${name.padEnd(10)} ${figures.requests} requests, ${figures.kilobytes} KB, LCP ${figures.lcpMs} ms ` +
        `(${rounds.map(({ lcpMs }) => lcpMs).join(', ')}), layout shift ${figures.layoutShift.toFixed(3)}, ` +
        `${figures.tabs ?? 'never reached by'} Tab${over.length > 0 ? `; over the limit: ${over.join(', ')}` : ''}`,
    );
  }
  process.exitCode = isOver ? 1 : 0;
} finally {
  await browser.close();
  await product.dispose();
}

function overLimits(figures: PageFigures): string[] {
  return (Object.keys(LIMITS) as (keyof typeof LIMITS)[]).filter(
    (key) => (figures[key] ?? Number.POSITIVE_INFINITY) >= LIMITS[key] + (key === 'tabs' ? 1 : 0),
  );
}

/** Runs the demo through the public API. Returns the path of its task. */
async function finishedDemo({ storageDir, admin }: Product): Promise<string> {
  const client = await admin();
  const dir = await makeDemo(storageDir, join(ROOT, 'pipeline-images', 'bin', 'seqpanel-demo'));
  const demo = await openDemoFolder(dir, 'incoming/demo');
  const prepared = await prepareDemo(client, demo, { group: 'lab', project: 'run1' });
  const id = await launchDemo(client, demo, prepared, { name: 'pages', idempotencyKey: 'pages-of-the-console' });
  const { status } = await followTask(client, prepared.group, id, () => undefined);
  if (status !== 'completed') throw new Error(`the demo's task ended as ${status}`);
  return `/secondary-analysis/tasks/${id}`;
}
