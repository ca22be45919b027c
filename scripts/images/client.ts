/** The docker client on PATH: which one, and what it says. */

import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Client {
  program: string;
  env: Record<string, string | undefined>;
}

/** The first docker on PATH that has BuildKit, which builds stages side by side and caches better; else the first one. */
export function findClient(env: Record<string, string | undefined>): Client | undefined {
  const programs = (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'docker'))
    .filter((program) => existsSync(program));
  const withBuildKit = { ...env, DOCKER_BUILDKIT: '1' };
  const capable = programs.find(
    (program) => spawnSync(program, ['build', '--help'], { env: withBuildKit, stdio: 'ignore' }).status === 0,
  );
  if (capable) return { program: capable, env: withBuildKit };
  return programs[0] ? { program: programs[0], env } : undefined;
}

export class DockerError extends Error {}

/** Runs docker and gives what it printed. Throws DockerError with its message. */
export function docker({ program, env }: Client, args: readonly string[], options: SpawnSyncOptions = {}): string {
  const done = spawnSync(program, args, { env, encoding: 'utf8', maxBuffer: 64e6, ...options });
  if (done.status !== 0) {
    const told = String(done.stderr ?? '').trim() || done.error?.message || `it ended with ${done.status}`;
    throw new DockerError(`docker ${args[0]}: ${told}`);
  }
  return String(done.stdout ?? '');
}

export function answers(client: Client): boolean {
  return spawnSync(client.program, ['info'], { env: client.env, stdio: 'ignore' }).status === 0;
}
