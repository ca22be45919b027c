/** Loads images from docker-save archives onto a running node tier, which has no registry. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Layout } from './layout.ts';

const importer = (layout: Layout, file: string) => [
  ...['--address', layout.containerdSocket, '--namespace', 'k8s.io'],
  ...['images', 'import', file],
];

/** Loads every image of the archive under its names. */
export async function importArchive(layout: Layout, file: string): Promise<string> {
  const { stdout } = await promisify(execFile)('ctr', importer(layout, file));
  return stdout;
}

/** Loads the archive at this path, or the image of this name from the Docker daemon of DOCKER_HOST. */
export async function loadImage(layout: Layout, image: string): Promise<void> {
  if (existsSync(image)) {
    await importArchive(layout, image);
    return;
  }
  const save = spawn('docker', ['save', image], { stdio: ['ignore', 'pipe', 'inherit'] });
  const load = spawn('ctr', importer(layout, '-'), { stdio: [save.stdout, 'ignore', 'inherit'] });
  const codes = await Promise.all([save, load].map(async (child) => (await once(child, 'exit'))[0] as number | null));
  if (codes.some((code) => code !== 0))
    throw new Error(`${image}: there is no such file, and docker save of such an image failed`);
}
