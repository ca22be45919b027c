/** Finds docker or podman on PATH and runs it. Both accept the same commands. */

import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';

export interface Client {
  program: string;
  env: Record<string, string | undefined>;
}

const onPath = (name: string, env: Client['env']) =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .filter((program) => existsSync(program));

/**
 * Returns the first docker on PATH with BuildKit, which builds stages in parallel and caches better, else the first
 * one.
 */
export function findDocker(env: Client['env']): Client | undefined {
  const programs = onPath('docker', env);
  const withBuildKit = { ...env, DOCKER_BUILDKIT: '1' };
  const capable = programs.find(
    (program) => spawnSync(program, ['build', '--help'], { env: withBuildKit, stdio: 'ignore' }).status === 0,
  );
  if (capable) return { program: capable, env: withBuildKit };
  return programs[0] ? { program: programs[0], env } : undefined;
}

/** Podman needs no daemon and builds with buildah. */
export function findPodman(env: Client['env']): Client | undefined {
  const [program] = onPath('podman', env);
  return program === undefined ? undefined : { program, env };
}

/** Build options for podman only: commands of a build then do not need the machine's cgroups. */
export const buildOptions = ({ program }: Client): string[] =>
  basename(program) === 'podman' ? ['--isolation', 'chroot'] : [];

export class DockerError extends Error {}

/** Runs docker and returns its output. Throws DockerError with its message. */
export function docker({ program, env }: Client, args: readonly string[], options: SpawnSyncOptions = {}): string {
  const done = spawnSync(program, args, { env, encoding: 'utf8', maxBuffer: 64e6, ...options });
  if (done.status !== 0) {
    const output = String(done.stderr ?? '').trim() || done.error?.message || `it ended with ${done.status}`;
    throw new DockerError(`docker ${args[0]}: ${output}`);
  }
  return String(done.stdout ?? '');
}

export function answers(client: Client): boolean {
  return spawnSync(client.program, ['info'], { env: client.env, stdio: 'ignore' }).status === 0;
}
