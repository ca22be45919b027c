/**
 * Prints the gzip sizes of the build and fails over the limits: the entry (what index.html loads before
 * anything is shown) at most 150 KB of script and 50 KB of style; all that one of the pages opened first loads within
 * its own limit; igv in a chunk of its own, in no other one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const ENTRY_SCRIPT_KB = 150;
const ENTRY_STYLE_KB = 50;
/** Script of a page that is opened first, with the entry and the English texts. */
const PAGE_SCRIPT_KB: Readonly<Record<string, number>> = {
  'dashboard-page': 335,
  'tasks-page': 335,
  'task-detail-page': 348,
};

const dist = join(import.meta.dirname, '..', 'dist');
const gzipKb = (file: string) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length / 1024;

const html = readFileSync(join(dist, 'index.html'), 'utf8');
/** Excludes files that are only preloaded with low priority (preload-shared.ts). */
const loadedFirst = html.replaceAll(/<link[^>]*fetchpriority="low"[^>]*>/g, '');
const entry = [...loadedFirst.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
  ([, file]) => file as string,
);
const sum = (extension: string) =>
  entry.filter((file) => file.endsWith(extension)).reduce((total, file) => total + gzipKb(file), 0);

const chunks = readdirSync(join(dist, 'assets')).filter((file) => /\.(js|css)$/.test(file));
for (const file of chunks.sort()) {
  const name = `assets/${file}`;
  console.log(`${gzipKb(name).toFixed(1).padStart(8)} KB  ${entry.includes(name) ? 'entry ' : '      '} ${file}`);
}

const failures: string[] = [];
const script = sum('.js');
const style = sum('.css');
console.log(
  `entry: ${script.toFixed(1)} KB script (limit ${ENTRY_SCRIPT_KB}), ${style.toFixed(1)} KB style (limit ${ENTRY_STYLE_KB})`,
);
if (script > ENTRY_SCRIPT_KB) failures.push(`entry script ${script.toFixed(1)} KB`);
if (style > ENTRY_STYLE_KB) failures.push(`entry style ${style.toFixed(1)} KB`);
for (const [page, limit] of Object.entries(PAGE_SCRIPT_KB)) {
  const size = [...loadedFor(page)].reduce((total, file) => total + gzipKb(`assets/${file}`), 0);
  console.log(`${page}: ${size.toFixed(1)} KB script (limit ${limit})`);
  if (size > limit) failures.push(`${page} loads ${size.toFixed(1)} KB of script`);
}
const igv = chunks.filter((file) => readFileSync(join(dist, 'assets', file), 'utf8').includes('igv-navbar'));
if (igv.some((file) => !file.startsWith('igv-') || entry.includes(`assets/${file}`)))
  failures.push(`igv is in ${igv.join(', ')}`);
if (failures.length > 0) {
  console.error(`over the limits: ${failures.join('; ')}`);
  process.exit(1);
}

/** The scripts that a page needs before it is shown: the entry, the frame, the texts, its own chunk and their imports. */
function loadedFor(page: string): Set<string> {
  const names = ['main', 'start-app', 'frame', 'en', page];
  const isNeeded = (file: string) => names.some((name) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(file));
  const found = new Set(chunks.filter(isNeeded));
  for (const file of found) {
    const code = readFileSync(join(dist, 'assets', file), 'utf8');
    for (const [, imported] of code.matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g)) found.add(imported as string);
  }
  return found;
}
