/** Several apis on one Postgres with a local control plane. The test acts as the operator. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AnalysisTask, AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { accessFromFile } from '@seqpanel/crds/kube/kubeconfig.ts';
import { ANALYSIS_TASKS, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { createCluster } from '../../api/src/background/feature.ts';
import { startApi, type TestApi } from '../../api/test-support/api.ts';
import { createTestDatabase } from '../../api/test-support/postgres.ts';
import { startLocalServer } from '../kubernetes-contract/server.ts';

export interface Stage {
  apis: TestApi[];
  kube: KubeClient;
  storageDir: string;
  /** Writes a status as the operator does. */
  status(task: string, status: AnalysisTaskStatus): Promise<void>;
  resource(task: string): Promise<Stored<AnalysisTask>>;
  close(): Promise<void>;
}

const NAMESPACE = 'default';
export const signal = new AbortController().signal;

export async function aStage(apis = 1): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-stage-'));
  const storageDir = join(folder, 'storage');
  mkdirSync(storageDir);
  const plane = await startLocalServer();
  const database = await createTestDatabase();
  const access = await accessFromFile(plane.kubeconfig);
  const client = (): KubeClient => new KubeClient(access, { namespace: NAMESPACE });
  const clients = Array.from({ length: apis + 1 }, client);
  const kube = clients[apis]!;
  const started: TestApi[] = [];
  for (let i = 0; i < apis; i++) {
    started.push(
      await startApi({
        database,
        storageDir,
        namespace: NAMESPACE,
        start: true,
        firstAdminFile: join(folder, 'first-admin.txt'),
        features: (deps) => [createCluster(deps, clients[i]!)],
      }),
    );
  }
  return {
    apis: started,
    kube,
    storageDir,
    status: async (task, status) => {
      await kube.patch(ANALYSIS_TASKS, task, { status }, { signal, subresource: 'status' });
    },
    resource: (task) => kube.get(ANALYSIS_TASKS, task, { signal }),
    close: async () => {
      await Promise.all(started.map((api) => api.close()));
      await Promise.all(clients.map((each) => each.close()));
      await database.close();
      await plane.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Polls until the answer is as expected. Fails with the last error or answer after `ms`. */
export async function eventually<T>(
  ask: () => Promise<T>,
  good: (answer: T) => boolean = () => true,
  ms = 15_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    let last: unknown;
    try {
      const answer = await ask();
      if (good(answer)) return answer;
      last = new Error(`still ${JSON.stringify(answer)}`);
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw last;
    await wait(20);
  }
}
