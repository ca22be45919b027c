/** Runs the images of `npm run images` like a strict cluster, or returns the reason to skip tests of them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { bring, contentOf, reference } from '../../scripts/images/build.ts';
import { CACHE, IMAGES, type Image } from '../../scripts/images/catalogue.ts';
import { docker } from '../../scripts/images/client.ts';
import { type Engine, NoEngine, openEngine } from '../../scripts/images/engine.ts';
import { lockFolder } from '../../scripts/images/lock.ts';

/** A user unknown to all images, in the group that OpenShift sets. */
export const USER = 54321;
const STRICT = [
  ...['--read-only', '--tmpfs', '/tmp', '--user', `${USER}:0`, '--network', 'host'],
  ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
];

export interface Ended {
  code: number;
  output: string;
}

export interface BuiltImages {
  /** Returns the size of an image in bytes. */
  size(name: Image['name']): number;
  /** Runs a command of an image and waits for its end. `options` are docker's, such as mounts and variables. */
  run(name: Image['name'], options: readonly string[], command: readonly string[]): Promise<Ended>;
  /** Starts an image's own program. `end` sends the image's stop signal and returns code and output. */
  start(name: Image['name'], options: readonly string[], command?: readonly string[]): Running;
  close(): Promise<void>;
}

export interface Running {
  exec(...command: string[]): Ended;
  logs(): string;
  end(): Ended;
}

/**
 * Builds missing images of the tree's current content, or returns the reason to skip the tests. Throws when a build
 * fails.
 */
export async function openImages(): Promise<BuiltImages | { skipped: string }> {
  mkdirSync(CACHE, { recursive: true });
  const unlock = await lockFolder(CACHE);
  let engine: Engine | undefined;
  const close = async () => {
    await engine?.stop();
    unlock();
  };
  try {
    engine = await openEngine(CACHE, true);
    const results = bring(engine, CACHE, IMAGES.map(contentOf), false);
    return { ...runner(engine), size: (name) => results.find(({ image }) => image.name === name)!.size, close };
  } catch (error) {
    await close();
    if (error instanceof NoEngine) return { skipped: error.message };
    throw error;
  }
}

function runner({ client }: Engine): Pick<BuiltImages, 'run' | 'start'> {
  const tag = (name: string) => reference(IMAGES.find((image) => image.name === name)!);
  return {
    run: (name, options, command) =>
      ended(
        spawn(client.program, ['run', '--rm', ...STRICT, ...options, tag(name), ...command], {
          env: client.env,
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      ),
    start(name, options, command = []) {
      const id = docker(client, ['run', '--detach', ...STRICT, ...options, tag(name), ...command]).trim();
      const logs = () => both(spawnSync(client.program, ['logs', id], { env: client.env, encoding: 'utf8' })).output;
      return {
        logs,
        exec: (...line) =>
          both(spawnSync(client.program, ['exec', id, ...line], { env: client.env, encoding: 'utf8' })),
        end() {
          docker(client, ['stop', '--time', '20', id]);
          const code = Number(docker(client, ['inspect', '--format', '{{.State.ExitCode}}', id]));
          const output = logs();
          docker(client, ['rm', id]);
          return { code, output };
        },
      };
    },
  };
}

const both = (done: { status: number | null; stdout: string; stderr: string }): Ended => ({
  code: done.status ?? -1,
  output: done.stdout + done.stderr,
});

function ended(child: ChildProcess): Promise<Ended> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, output }));
  });
}
