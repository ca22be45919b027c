/**
 * npm run images [-- NAME...] [--save DIR] [--fresh]: builds the images and prints their sizes with the limits. What was
 * built of the same content before is taken as it is.
 *
 * --save DIR   leaves NAME.tar (as docker save does) and NAME.sbom.json in DIR; needs no engine when nothing changed.
 * --fresh      builds all layers anew, with Debian's packages of today.
 */

import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBase } from './base.ts';
import {
  build,
  copyOut,
  forgetOldLayers,
  type Result,
  saveToCache,
  sizeInCache,
  sizeInEngine,
  type Wanted,
} from './build.ts';
import { CACHE, imagesNamed } from './catalogue.ts';
import { contentHash, contextFiles } from './context.ts';
import { type Engine, openEngine } from './engine.ts';
import { lockFolder } from './lock.ts';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { save: { type: 'string' }, fresh: { type: 'boolean', default: false } },
  });
  const wanted = imagesNamed(positionals).map((image): Wanted => {
    const files = contextFiles(image);
    return { image, files, hash: contentHash(files) };
  });
  const results = await provide(wanted, values.save === undefined ? undefined : resolve(values.save), values.fresh);
  for (const { image, size, how } of results)
    console.log(`${image.tag.padEnd(26)}${(size / 1e6).toFixed(0).padStart(4)} MB of at most ${image.limitMb}  ${how}`);
  const over = results.filter(({ image, size }) => size > image.limitMb * 1e6);
  if (over.length > 0) throw new Error(`Over the limit: ${over.map(({ image }) => image.tag).join(', ')}.`);
}

async function provide(wanted: readonly Wanted[], target: string | undefined, fresh: boolean): Promise<Result[]> {
  process.umask(0o022);
  mkdirSync(CACHE, { recursive: true });
  const unlock = await lockFolder(CACHE);
  let engine: Engine | undefined;
  let based = false;
  const results: Result[] = [];
  try {
    for (const one of wanted) {
      const cached = target && !fresh ? sizeInCache(CACHE, one) : undefined;
      if (cached !== undefined) {
        results.push({ image: one.image, size: cached, how: 'unchanged' });
        continue;
      }
      engine ??= await openEngine(CACHE, true);
      const before = fresh ? undefined : sizeInEngine(engine, one);
      const started = Date.now();
      if (before === undefined) {
        if (!based) ensureBase(engine, fresh);
        based = true;
        build(engine, CACHE, one, fresh);
      }
      const size = before ?? sizeInEngine(engine, one)!;
      if (target) saveToCache(engine, CACHE, one, size);
      const seconds = Math.round((Date.now() - started) / 1000);
      results.push({ image: one.image, size, how: before === undefined ? `built in ${seconds} s` : 'unchanged' });
    }
    if (target) for (const one of wanted) copyOut(CACHE, one, target);
    if (engine?.own) forgetOldLayers(engine);
  } finally {
    await engine?.stop();
    unlock();
  }
  return results;
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
