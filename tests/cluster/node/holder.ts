/**
 * The process that holds the node tier: starts every part, describes the cluster on its socket, and removes everything
 * at SIGTERM or, with `--with-parent`, at the end of its standard input. When it is killed, its parts end too, and the
 * next start removes the leftovers.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { keepUses } from '../audit.ts';
import { findBinaries } from '../binaries.ts';
import { startWith } from '../control-plane.ts';
import type { Daemon } from '../daemon.ts';
import type { Held } from './held.ts';
import { ADDRESS, API_PORT, LEFT_BY, layoutOf, MARK, NODE, SOCKET } from './layout.ts';
import { prepareMachine, startNode } from './node.ts';

const layout = layoutOf(process.env);
const began = Date.now();
const daemons: Daemon[] = [];
let phase: Held['phase'] = 'starting';

const server = createServer((socket) => {
  const held: Held = {
    pid: process.pid,
    phase,
    since: new Date(began).toISOString(),
    layout,
    parts: daemons.map(({ name, pid, running }) => ({ name, pid, running })),
  };
  socket.on('error', () => undefined).end(JSON.stringify(held));
});
server.on('error', () => process.exit(0)); // another process holds the cluster of this machine
server.listen(SOCKET, () => void hold());

async function hold(): Promise<void> {
  try {
    if (!clean()) throw new Error('what a killed run has left could not be taken away');
    claimFolder();
    await start();
    phase = 'ready';
    console.log(`ready after ${((Date.now() - began) / 1000).toFixed(1)} s`);
  } catch (error) {
    console.error(error);
    finish(1);
  }
}

/** Stops the parts and removes their leftovers and those of a killed run. Returns false when something remains. */
function clean(): boolean {
  if (!existsSync(LEFT_BY)) return true;
  const folder = readFileSync(LEFT_BY, 'utf8');
  return spawnSync(join(import.meta.dirname, 'clean.sh'), [folder], { stdio: 'inherit' }).status === 0;
}

function claimFolder(): void {
  const { folder, controlPlane, storage } = layout;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: SEQPANEL_CLUSTER_DIR must name a new or an empty folder`);
  writeFileSync(LEFT_BY, folder);
  writeFileSync(join(folder, MARK), '');
  mkdirSync(controlPlane);
  mkdirSync(storage);
  chmodSync(storage, 0o2777);
}

async function start(): Promise<void> {
  const binaries = findBinaries();
  if ('skipped' in binaries) throw new Error(binaries.skipped);
  const certificate = prepareMachine(layout);
  const secret = () => randomBytes(16).toString('hex');
  const tokens = { kubelet: secret(), kubeProxy: secret() };
  const plane = await startWith(binaries, [], {
    folder: layout.controlPlane,
    auditLog: layout.auditLog,
    serviceAccountCredentials: true,
    forNodes: { address: ADDRESS, port: API_PORT, ...certificate },
    extraTokens: [
      { token: tokens.kubelet, user: `system:node:${NODE}`, groups: ['system:nodes'] },
      { token: tokens.kubeProxy, user: 'system:kube-proxy' },
    ],
  });
  daemons.push(...plane.daemons);
  daemons.push(...(await startNode(layout, binaries, plane, tokens, certificate.certificate)));
  plane.kube.close();
}

/** Synchronous, so that nothing is started meanwhile. */
function finish(code: number): never {
  keepUses(layout.auditLog);
  process.exit(clean() ? code : 1);
}
process.on('SIGTERM', () => finish(0));
process.on('SIGINT', () => finish(0));
if (process.argv.includes('--with-parent')) process.stdin.on('end', () => finish(0)).resume();
