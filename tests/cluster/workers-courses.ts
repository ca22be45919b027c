/**
 * The scenarios of the pools in the workers' tests. They run in parallel, because each mostly waits; the tests check
 * the outcomes.
 */
import { collection } from '../kubernetes-contract/builders.ts';
import type { KubeHttp } from './kube-http.ts';
import { makeStorageClaim } from './played-task.ts';
import type { WorkersCloud } from './workers-cloud.ts';
import { launchTask, type PoolUnderTest, type TestPool } from './workers-pool.ts';

export interface Course {
  /** Name of the pool, its target and its queue. */
  name: string;
  kind: PoolUnderTest['kind'];
  course(pool: TestPool): Promise<void>;
}

export function coursesOf(kube: KubeHttp, namespace: string, cloud: WorkersCloud): Course[] {
  const removed = (pool: string) => cloud.removals.filter(({ node }) => node.startsWith(`${pool}-`));
  return [
    {
      name: 'plain',
      kind: 'NodeGroup',
      course: async (pool) => {
        await pool.createTarget();
        await pool.create();
        await pool.launch('plain-first', 4, 30, '4s');
        await pool.launch('plain-long', 1, 30, '14s');
        await pool.until(
          'all taken away',
          async () => (await pool.nodes()).length === 0 && removed('plain').length > 0,
        );
      },
    },
    {
      name: 'machines',
      kind: 'MachineDeployment',
      course: async (pool) => {
        await pool.createTarget();
        await pool.create();
        await pool.launch('machines-short', 2, 60, '3s');
        await pool.launch('machines-long', 1, 60, '10m');
        await pool.phase('machines-long', 1, 'Running');
        await pool.until('two of three taken away', () => removed('machines').length >= 2);
      },
    },
    {
      name: 'back',
      kind: 'MachineDeployment',
      course: async (pool) => {
        await pool.createTarget();
        await pool.create({ max: 1 });
        await pool.launch('back-first', 1, 60, '1s');
        await pool.until('cordoned', async () => (await pool.nodes()).some(({ spec }) => spec.unschedulable));
        await pool.launch('back-again', 1, 60, '10m');
        await pool.phase('back-again', 1, 'Running');
      },
    },
    {
      name: 'quick',
      kind: 'MachineDeployment',
      course: async (pool) => {
        await pool.createTarget();
        await pool.create();
        await pool.until('known', ({ status }) => status?.desired === 0);
        for (const job of ['quick-1', 'quick-2', 'quick-3', 'quick-4']) {
          await pool.launch(job, 1, 60, '10m');
          await pool.phase(job, 1, 'Running');
        }
      },
    },
    {
      name: 'task',
      kind: 'MachineDeployment',
      course: async (pool) => {
        await pool.createTarget();
        await pool.create();
        await makeStorageClaim(kube, namespace);
        await launchTask(kube, namespace, 'task');
        const task = `${collection('AnalysisTask', namespace)}/task`;
        await pool.until('the task has ended', async () =>
          ['Completed', 'Failed'].includes((await kube.get(task)).status?.phase),
        );
        await pool.until('all taken away', async () => (await pool.nodes()).length === 0);
      },
    },
    {
      name: 'mute',
      kind: 'MachineDeployment',
      course: async (pool) => {
        cloud.broken.add('mute');
        await pool.createTarget();
        await pool.create({ registerTimeoutSeconds: 2, min: 1 });
        await pool.until('replaced twice', ({ status }) => status?.replacements?.count >= 2);
      },
    },
    {
      name: 'mute-plain',
      kind: 'NodeGroup',
      course: async (pool) => {
        cloud.broken.add('mute-plain');
        await pool.createTarget();
        await pool.create({ registerTimeoutSeconds: 2, min: 2 });
        await pool.until('told', async () => (await pool.condition('Ready'))?.reason === 'NodeNeverRegistered');
      },
    },
    {
      name: 'lost',
      kind: 'NodeGroup',
      course: async (pool) => {
        await pool.createTarget();
        await pool.create({ min: 1 });
        await pool.until('ready', ({ status }) => status?.ready === 1);
        const [node] = await pool.nodes();
        await kube.ok('DELETE', `/api/v1/nodes/${node.metadata.name}`);
        await pool.until('told', async () => (await pool.events()).some((event) => event.startsWith('NodeLost')));
      },
    },
    {
      name: 'no-target',
      kind: 'NodeGroup',
      course: async (pool) => {
        await pool.create();
        await pool.until('told', async () => (await pool.condition('Ready'))?.reason === 'TargetNotFound');
      },
    },
  ];
}
