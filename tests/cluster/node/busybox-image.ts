/** An image without a registry: Debian's static busybox as a docker-save archive with one layer. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAUSE_IMAGE } from './settings.ts';

/** The image of the tests' pods. A cluster with a registry pulls it; here it is Debian's busybox of this version. */
export const BUSYBOX_IMAGE = 'busybox:1.35';
const BUSYBOX = '/bin/busybox';

/** Writes the archive into `folder`. Both names are the same image, because it does nothing by default. */
export function makeBusyboxImage(folder: string): string {
  const work = mkdtempSync(join(folder, 'busybox-'));
  const root = join(work, 'root');
  for (const name of ['bin', 'etc', 'tmp']) mkdirSync(join(root, name), { recursive: true });
  cpSync(BUSYBOX, join(root, 'bin/busybox'));
  for (const applet of execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' }).trim().split('\n'))
    if (applet !== 'busybox') symlinkSync('busybox', join(root, 'bin', applet));
  tar(join(work, 'layer.tar'), root, ['.']);

  const layer = createHash('sha256')
    .update(readFileSync(join(work, 'layer.tar')))
    .digest('hex');
  const config = JSON.stringify({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Env: ['PATH=/bin'], Cmd: ['sleep', 'infinity'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layer}`] },
  });
  const RepoTags = [PAUSE_IMAGE, `docker.io/library/${BUSYBOX_IMAGE}`];
  writeFileSync(join(work, 'config.json'), config);
  writeFileSync(
    join(work, 'manifest.json'),
    JSON.stringify([{ Config: 'config.json', RepoTags, Layers: ['layer.tar'] }]),
  );
  const archive = join(folder, 'busybox.tar');
  tar(archive, work, ['manifest.json', 'config.json', 'layer.tar']);
  rmSync(work, { recursive: true });
  return archive;
}

function tar(file: string, folder: string, names: string[]): void {
  execFileSync('tar', ['--sort=name', '--owner=0', '--group=0', '--mtime=@0', '-cf', file, '-C', folder, ...names]);
}
