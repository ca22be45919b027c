/** For tests only: a local control plane in its own process, so that it can be killed. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LocalControlPlaneOptions } from '../local/control-plane.ts';

/** Resolves when it is ready and its kubeconfig is written to the given path. */
export async function startPlane(options: LocalControlPlaneOptions & { kubeconfig: string }): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'plane-process.ts'), [JSON.stringify(options)], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the control plane ended with ${code}`)));
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return child;
}

/** Stops it; resolves when it has exited. */
export async function stopPlane(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}
