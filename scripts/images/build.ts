/** Builds images from their contexts, skips unchanged ones, and saves them as archives. */

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BASE, ensureBase } from './base.ts';
import { type Image, ROOT } from './catalogue.ts';
import { buildOptions, docker } from './client.ts';
import { type ContextFile, contentHash, contextFiles, writeContext } from './context.ts';
import type { Engine } from './engine.ts';

/** An image and its files, identified by their hash. */
export interface Wanted {
  image: Image;
  files: ContextFile[];
  hash: string;
}

export interface Result {
  image: Image;
  /** Size of the image in bytes, as docker counts it. */
  size: number;
  how: string;
}

/** Label with the hash of the content. */
const CONTENT_LABEL = 'dev.seqpanel.content';
const SBOM_PATH = '/usr/share/seqpanel/sbom.json';

const { license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { license: string };

/** Fully qualified name: podman would prepend its own host to a short one, which archives would then contain. */
export const reference = ({ tag }: Image): string => `docker.io/${tag}`;

/** Returns the size of the engine's image of this content, or undefined when it has none. */
function sizeInEngine({ client }: Engine, { image, hash }: Wanted): number | undefined {
  const format = `{{index .Config.Labels "${CONTENT_LABEL}"}} {{.Size}}`;
  const { status, stdout } = spawnSync(client.program, ['image', 'inspect', '--format', format, reference(image)], {
    env: client.env,
    encoding: 'utf8',
  });
  const [label, size] = stdout.trim().split(' ');
  return status === 0 && label === hash ? Number(size) : undefined;
}

export function contentOf(image: Image): Wanted {
  const files = contextFiles(image);
  return { image, files, hash: contentHash(files) };
}

/** Builds the images that the engine lacks. `fresh` builds all, with current Debian packages. */
export function bring(engine: Engine, cache: string, wanted: readonly Wanted[], fresh: boolean): Result[] {
  let based = false;
  return wanted.map((one) => {
    const { image } = one;
    const before = fresh ? undefined : sizeInEngine(engine, one);
    if (before !== undefined) return { image, size: before, how: 'unchanged' };
    const started = Date.now();
    if (!based) ensureBase(engine, fresh);
    based = true;
    build(engine, cache, one, fresh);
    return { image, size: sizeInEngine(engine, one)!, how: `built in ${Math.round((Date.now() - started) / 1000)} s` };
  });
}

function build(engine: Engine, cache: string, { image, files, hash }: Wanted, fresh: boolean): void {
  const context = join(cache, 'context', image.name);
  writeContext(files, context);
  const revision = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).stdout?.trim() || 'unknown';
  const [name = '', version = ''] = image.tag.split(':');
  const labels = {
    'org.opencontainers.image.title': image.title,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': revision,
    'org.opencontainers.image.licenses': `LicenseRef-${license}`,
    'org.opencontainers.image.base.name': BASE,
    [CONTENT_LABEL]: hash,
  };
  const { program, env } = engine.client;
  const done = spawnSync(
    program,
    [
      ...['build', '--network', 'host', '--tag', reference(image), ...buildOptions(engine.client)],
      ...(fresh ? ['--no-cache'] : []),
      ...Object.entries(labels).flatMap(([key, value]) => ['--label', `${key}=${value}`]),
      ...['--build-arg', `NAME=${name}`, '--build-arg', `VERSION=${version}`],
      ...['--build-arg', `BASE=${BASE}`, context],
    ],
    { env, encoding: 'utf8', maxBuffer: 64e6 },
  );
  rmSync(context, { recursive: true, force: true });
  const log = join(cache, `${image.name}.log`);
  writeFileSync(log, `${done.stdout}${done.stderr}`);
  if (done.status !== 0) throw new Error(`${image.tag} could not be built. Full log: ${log}\n${lastLines(log)}`);
}

/** Returns the last output of the failing command, without BuildKit's own lines. */
function lastLines(log: string): string {
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  const own = /^$|^(-+$| > \[|executor failed|#\d+ (\[|sha256:|DONE|CACHED|ERROR|transferring))/;
  return lines
    .filter((line) => !own.test(line))
    .slice(-8)
    .join('\n');
}

/** Limits the build cache of our own daemon. A failure to clean up does not fail the build. */
export function forgetOldLayers({ client }: Engine): void {
  const prunes = [
    ['image', 'prune', '--force'],
    ['builder', 'prune', '--force', '--keep-storage', '4GB'],
  ];
  for (const prune of prunes) {
    try {
      docker(client, prune);
    } catch (error) {
      console.log(`Old layers were not removed: ${(error as Error).message}`);
    }
  }
}

export function archivePath(cache: string, { image, hash }: Wanted): string {
  return join(cache, 'archives', `${image.name}-${hash}.tar`);
}

/** Files next to a complete archive. */
function recordPath(cache: string, wanted: Wanted): string {
  return archivePath(cache, wanted).replace(/tar$/, 'json');
}

/** Returns the size of the image in the cached archive, or undefined when there is none of this content and tag. */
export function sizeInCache(cache: string, wanted: Wanted): number | undefined {
  const record = recordPath(cache, wanted);
  if (!existsSync(record)) return undefined;
  const { tag, size } = JSON.parse(readFileSync(record, 'utf8')) as { tag: string; size: number };
  return tag === wanted.image.tag ? size : undefined;
}

/** Stores the image and its software list in the cache, replacing those of other content. */
export function saveToCache({ client }: Engine, cache: string, wanted: Wanted, size: number): void {
  const { image } = wanted;
  const archive = archivePath(cache, wanted);
  mkdirSync(join(cache, 'archives'), { recursive: true });
  for (const name of readdirSync(join(cache, 'archives')))
    if (name.startsWith(`${image.name}-`)) rmSync(join(cache, 'archives', name));
  docker(client, ['save', '--output', `${archive}.part`, reference(image)]);
  writeFileSync(archive.replace(/tar$/, 'sbom.json'), sbomOf(client, reference(image)));
  renameSync(`${archive}.part`, archive);
  writeFileSync(recordPath(cache, wanted), JSON.stringify({ tag: image.tag, size }));
}

function sbomOf(client: Engine['client'], tag: string): string {
  const container = docker(client, ['create', tag, 'none']).trim();
  try {
    // docker cp writes a tar archive of one file.
    const tar = spawnSync(client.program, ['cp', `${container}:${SBOM_PATH}`, '-'], {
      env: client.env,
      maxBuffer: 64e6,
    });
    return spawnSync('tar', ['-xOf', '-'], { input: tar.stdout, encoding: 'utf8', maxBuffer: 64e6 }).stdout;
  } finally {
    docker(client, ['rm', container]);
  }
}

/**
 * Writes the archive and the software list to `folder` as NAME.tar and NAME.sbom.json, as hard links where possible.
 */
export function copyOut(cache: string, wanted: Wanted, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const ending of ['tar', 'sbom.json']) {
    const from = archivePath(cache, wanted).replace(/tar$/, ending);
    const to = join(folder, `${wanted.image.name}.${ending}`);
    rmSync(to, { force: true });
    try {
      linkSync(from, to);
    } catch {
      copyFileSync(from, to);
    }
  }
}
