/**
 * Prints the gzip sizes of the build and fails over the limits: the entry (loaded by index.html before the first
 * paint) at most 150 KB of script and 50 KB of style; igv only in its own chunk.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const ENTRY_SCRIPT_KB = 150;
const ENTRY_STYLE_KB = 50;

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
const igv = chunks.filter((file) => readFileSync(join(dist, 'assets', file), 'utf8').includes('igv-navbar'));
if (igv.some((file) => !file.startsWith('igv-') || entry.includes(`assets/${file}`)))
  failures.push(`igv is in ${igv.join(', ')}`);
if (failures.length > 0) {
  console.error(`over the limits: ${failures.join('; ')}`);
  process.exit(1);
}
