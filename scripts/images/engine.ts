/**
 * Finds the engine that builds and runs images: the user's docker or podman, else a temporary docker daemon of our own.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answers, type Client, findDocker, findPodman } from './client.ts';

export interface Engine {
  client: Client;
  /** Whether the daemon is our own and used only by this program. */
  own: boolean;
  /** Stops our own daemon. */
  stop(): Promise<void>;
}

/** No engine exists and none can be started. The message says what to do. */
export class NoEngine extends Error {}

/** Packages for our own daemon and the base image. */
const DEBIAN_PACKAGES = ['docker.io', 'containerd', 'runc', 'debootstrap'];
const START_MS = 60_000;

/** `cacheDir` keeps images and layers of our own daemon between runs. `install` installs its packages. */
export async function openEngine(cacheDir: string, install: boolean, env = process.env): Promise<Engine> {
  const docker = findDocker(env);
  for (const client of [docker, findPodman(env)])
    if (client && answers(client)) return { client, own: false, stop: async () => undefined };
  needDaemon(docker !== undefined, install);
  return startDaemon(cacheDir, env);
}

function needDaemon(hasClient: boolean, install: boolean): void {
  const line = `apt-get install --no-install-recommends ${DEBIAN_PACKAGES.join(' ')}`;
  if (process.getuid?.() !== 0)
    throw new NoEngine(
      hasClient
        ? 'docker is installed but its engine does not answer: start it (docker info must work), or run this as root.'
        : `Neither docker nor podman found. Install one, or run this as root after: ${line}`,
    );
  if (existsSync('/usr/sbin/dockerd') && existsSync('/usr/sbin/debootstrap') && existsSync('/usr/bin/docker')) return;
  if (!install || !existsSync('/usr/bin/apt-get')) throw new NoEngine('No docker engine found: install one.');
  console.log(`Installing ${DEBIAN_PACKAGES.join(', ')} from Debian's packages…`);
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  apt('update', '-qq');
  if (!apt('install', '-y', '-qq', '--no-install-recommends', ...DEBIAN_PACKAGES))
    throw new NoEngine(`Installation failed. Run this by hand, then start again: ${line}`);
}

/**
 * Runs without a bridge and packet filter rules, so that the machine's network stays unchanged. Builds use the host's
 * network.
 */
async function startDaemon(cacheDir: string, env: NodeJS.ProcessEnv): Promise<Engine> {
  const data = join(cacheDir, 'docker');
  mkdirSync(data, { recursive: true });
  // Socket paths have a length limit.
  const run = mkdtempSync(join(tmpdir(), 'seqpanel-images-'));
  const host = `unix://${run}/docker.sock`;
  const log = createWriteStream(join(cacheDir, 'dockerd.log'));
  const daemon = spawn(
    'setpriv',
    [
      ...['--pdeathsig', 'TERM', 'dockerd', '--data-root', data, '--exec-root', join(run, 'exec')],
      ...['-H', host, '-p', join(run, 'pid'), '--log-level', 'warn'],
      ...['--bridge', 'none', '--iptables=false', '--ip6tables=false', '--ip-forward=false'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, PATH: `${env['PATH']}:/usr/sbin:/sbin` } },
  );
  daemon.stdout.pipe(log);
  daemon.stderr.pipe(log);
  const client = findDocker({ ...env, DOCKER_HOST: host });
  const stop = async () => {
    await end(daemon);
    // Unmounts the network namespace that `--network host` leaves mounted.
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '');
    for (const mount of mounts) if (mount.startsWith(`${run}/`)) spawnSync('umount', ['--lazy', mount]);
    rmSync(run, { recursive: true, force: true });
  };
  for (let waited = 0; waited < START_MS && daemon.exitCode === null; waited += 200) {
    await sleep(200);
    if (client && answers(client)) return { client, own: true, stop };
  }
  await stop();
  throw new NoEngine(`The docker daemon did not start: see ${join(cacheDir, 'dockerd.log')}.`);
}

async function end(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const exited = once(daemon, 'exit');
  daemon.kill('SIGTERM');
  await exited;
}
