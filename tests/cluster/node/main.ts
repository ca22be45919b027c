/** `npm run cluster` and `npm run test:cluster`: starts and stops the node tier, and runs the tests on it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bringUp, type Held, leftFolder, takeDown, whoHolds } from './held.ts';
import { loadImage } from './images.ts';
import { whyNoNode } from './why-not.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** Tests that run on real nodes are in folders below tests/cluster. */
const ON_NODES = '/tests/cluster/[^/]+/.*\\.test\\.ts$';
/** Slow tests of parts that rarely change. They run only by name. */
const ON_DEMAND = '/on-demand/';
const USAGE = 'npm run cluster -- up | down | status | load FILE_OR_IMAGE...';
const [command, ...rest] = process.argv.slice(2);

try {
  await run();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  if (command === 'up') await up();
  else if (command === 'down') await takeDown();
  else if (command === 'status') console.log(describeHeld(await whoHolds()));
  else if (command === 'load' && rest.length > 0) await load(rest);
  else if (command === 'test') await test(rest);
  else throw new Error(USAGE);
}

async function up(): Promise<void> {
  const reason = whyNoNode();
  if (reason) throw new Error(`No cluster here: ${reason}.`);
  const { layout } = await bringUp({ withParent: false });
  console.log(`export KUBECONFIG=${layout.kubeconfig}`);
}

async function load(images: string[]): Promise<void> {
  const held = await whoHolds();
  if (held?.phase !== 'ready') throw new Error('No cluster runs: npm run cluster -- up');
  for (const image of images) await loadImage(held.layout, image);
}

/**
 * Runs the tests that match the patterns, or all that are not on demand. Options of jest are given as --name=value.
 * Uses a running cluster and keeps it. Waits for the end of a cluster that the tests started.
 */
async function test(args: string[]): Promise<void> {
  const options = args.filter((arg) => arg.startsWith('-'));
  const patterns = args.filter((arg) => !arg.startsWith('-'));
  const ranBefore = (await whoHolds()) !== undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => jest.kill('SIGTERM'));
  const jest = spawn(
    process.execPath,
    [
      ...[join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'), '--runInBand', ...options],
      ...['--selectProjects', 'tests', '--testPathPatterns', ...(patterns.length > 0 ? patterns : [ON_NODES])],
      ...(patterns.length > 0 ? [] : ['--testPathIgnorePatterns', '/node_modules/', ON_DEMAND]),
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' },
    },
  );
  const [code] = (await once(jest, 'exit')) as [number | null];
  if (!ranBefore) await takeDown();
  process.exitCode = code ?? 1;
}

function describeHeld(held: Held | undefined): string {
  if (!held) {
    const left = leftFolder();
    return left ? `not running; a killed run has left ${left} (npm run cluster -- down takes it away)` : 'not running';
  }
  const { phase, since, pid, layout, parts } = held;
  return [
    `${phase} since ${since}, held by process ${pid}`,
    ...parts.map((part) => `  ${part.name.padEnd(20)} ${part.running ? `process ${part.pid}` : 'ENDED'}`),
    `KUBECONFIG ${layout.kubeconfig}`,
    `audit log  ${layout.auditLog}`,
    `logs       ${layout.folder}/*.log, ${layout.controlPlane}/*.log`,
  ].join('\n');
}
