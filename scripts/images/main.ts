/**
 * npm run images [-- NAME...] [--save DIR] [--fresh]: builds the images and prints their sizes and limits. Skips images
 * whose content did not change.
 *
 * --save DIR   writes NAME.tar (like docker save) and NAME.sbom.json to DIR; needs no engine when nothing changed.
 * --fresh      builds all layers again, with current Debian packages.
 */

import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  bring,
  contentOf,
  copyOut,
  forgetOldLayers,
  type Result,
  saveToCache,
  sizeInCache,
  type Wanted,
} from './build.ts';
import { CACHE, imagesNamed } from './catalogue.ts';
import { type Engine, openEngine } from './engine.ts';
import { lockFolder } from './lock.ts';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { save: { type: 'string' }, fresh: { type: 'boolean', default: false } },
  });
  const wanted = imagesNamed(positionals).map(contentOf);
  const results = await provide(wanted, values.save === undefined ? undefined : resolve(values.save), values.fresh);
  for (const { image, size, how } of results)
    console.log(`${image.tag.padEnd(26)}${(size / 1e6).toFixed(0).padStart(4)} MB of at most ${image.limitMb}  ${how}`);
  const over = results.filter(({ image, size }) => size > image.limitMb * 1e6);
  if (over.length > 0) throw new Error(`Over the limit: ${over.map(({ image }) => image.tag).join(', ')}.`);
}

async function provide(wanted: readonly Wanted[], target: string | undefined, fresh: boolean): Promise<Result[]> {
  mkdirSync(CACHE, { recursive: true });
  const unlock = await lockFolder(CACHE);
  let engine: Engine | undefined;
  try {
    const results = wanted.flatMap((one): Result[] => {
      const size = target && !fresh ? sizeInCache(CACHE, one) : undefined;
      return size === undefined ? [] : [{ image: one.image, size, how: 'unchanged' }];
    });
    const rest = wanted.filter(({ image }) => !results.some((result) => result.image === image));
    if (rest.length > 0) {
      engine = await openEngine(CACHE, true);
      for (const result of bring(engine, CACHE, rest, fresh)) {
        results.push(result);
        const one = rest.find(({ image }) => image === result.image)!;
        if (target) saveToCache(engine, CACHE, one, result.size);
      }
      if (engine.own) forgetOldLayers(engine);
    }
    if (target) for (const one of wanted) copyOut(CACHE, one, target);
    return results;
  } finally {
    await engine?.stop();
    unlock();
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
