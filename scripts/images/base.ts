/** Provides debian:bookworm-slim: pulls it if a registry answers, else builds it from Debian packages. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docker } from './client.ts';
import { type Engine, NoEngine } from './engine.ts';

export const BASE = 'docker.io/library/debian:bookworm-slim';
const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org';

/**
 * Paths that Debian's slim image also leaves out. Copyright files stay, because the software list is made from them.
 */
const SLIM = `${[
  '/usr/share/doc/*',
  '/usr/share/groff/*',
  '/usr/share/info/*',
  '/usr/share/linda/*',
  '/usr/share/lintian/*',
  '/usr/share/locale/*',
  '/usr/share/man/*',
]
  .map((path) => `path-exclude ${path}`)
  .join('\n')}\npath-include /usr/share/doc/*/copyright\n`;

export function ensureBase({ client, own }: Engine, fresh: boolean): void {
  const has = () =>
    spawnSync(client.program, ['image', 'inspect', BASE], { env: client.env, stdio: 'ignore' }).status === 0;
  if (has() && !fresh) return;
  // Our own daemon runs because the machine has none, and such a machine rarely has a registry.
  if (!own && spawnSync(client.program, ['pull', BASE], { env: client.env, stdio: 'inherit' }).status === 0) return;
  if (process.getuid?.() !== 0)
    throw new NoEngine(
      `${BASE} cannot be pulled: load it (docker load), or run this as root with debootstrap installed.`,
    );
  console.log(`Building ${BASE} from Debian packages…`);
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-base-'));
  try {
    makeRoot(join(folder, 'root'));
    const archive = join(folder, 'root.tar');
    run('tar', ['--numeric-owner', '--sort=name', '-C', join(folder, 'root'), '-cf', archive, '.']);
    docker(client, ['import', '--change', 'CMD ["bash"]', archive, BASE]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeRoot(root: string): void {
  run('debootstrap', ['--variant=minbase', SUITE, root, `${MIRROR}/debian`]);
  writeFileSync(join(root, 'etc/dpkg/dpkg.cfg.d/slim'), SLIM);
  writeFileSync(
    join(root, 'etc/apt/sources.list'),
    [
      `deb ${MIRROR}/debian ${SUITE} main`,
      `deb ${MIRROR}/debian ${SUITE}-updates main`,
      `deb ${MIRROR}/debian-security ${SUITE}-security main`,
      '',
    ].join('\n'),
  );
  run('chroot', [root, 'apt-get', 'update', '-qq']);
  run('chroot', [root, 'apt-get', 'upgrade', '-y', '-qq']);
  run('chroot', [root, 'apt-get', 'clean']);
  run('sh', ['-ec', TRIM], root);
}

/** Removes files that SLIM names and that were unpacked earlier, and leftovers of apt and debootstrap. */
const TRIM = `
find usr/share/doc -type f ! -name copyright -delete
rm -rf usr/share/locale/* usr/share/man/* usr/share/info/* usr/share/groff/* usr/share/lintian/*
rm -rf var/lib/apt/lists/* var/cache/* var/log/* tmp/* etc/resolv.conf etc/hostname
mkdir -p var/cache/apt/archives/partial var/lib/apt/lists/partial
`;

function run(program: string, args: string[], cwd?: string): void {
  const done = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64e6,
    env: {
      ...process.env,
      PATH: `${process.env['PATH']}:/usr/sbin:/sbin`,
      DEBIAN_FRONTEND: 'noninteractive',
      LC_ALL: 'C',
    },
  });
  if (done.status !== 0)
    throw new Error(
      `${program} ${args[0]} failed: ${(done.stderr || done.stdout || String(done.error)).trim().split('\n').slice(-5).join('\n')}`,
    );
}
