/** Tests that need several nodes: a task's pods on two of them, and a node that is drained while they run. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { launchDemo } from '../../../scripts/demo/launch.ts';
import { type DemoFolder, openDemoFolder, prepareDemo } from '../../../scripts/demo/prepare.ts';
import { API } from '../../../scripts/demo/rest-client.ts';
import { makeDemo } from '../../../scripts/demo/run-demo.ts';
import { eventually, type KubeObject } from '../kube-http.ts';
import { describeOnNodes } from '../node/describe-on-nodes.ts';
import { CHART } from './helm.ts';
import { IMAGES_MS, type Installation, newInstallation } from './installation.ts';

const DEMO_PROGRAM = join(CHART, '..', 'pipeline-images', 'bin', 'seqpanel-demo');
const NS = `nodes-${process.pid}`;
/** Time limit on a machine that runs all nodes. */
const TASK_SECONDS = 600;
const ENDED = ['Completed', 'Failed', 'Aborted'];

describeOnNodes(
  'an installation on several nodes',
  (cluster) => {
    let installed: Installation;
    let demo: DemoFolder;
    const local = mkdtempSync(join(tmpdir(), 'seqpanel-nodes-'));
    const kube = () => cluster().kube;
    const podsOf = async (task: string): Promise<KubeObject[]> => {
      const { items } = await kube().get(`/api/v1/namespaces/${NS}/pods`);
      return items.filter(({ metadata }: KubeObject) => metadata.name.startsWith(`${task}-`));
    };
    const running = async (task: string) =>
      (await podsOf(task)).filter(({ status, metadata }) => status.phase === 'Running' && !metadata.deletionTimestamp);

    /** A new group, because results of the same group would be reused. */
    async function launch(group: string): Promise<{ id: string; group: string }> {
      const client = await installed.admin();
      const prepared = await prepareDemo(client, demo, { group, project: 'demo' });
      const id = await launchDemo(client, demo, prepared, { name: group, idempotencyKey: `nodes-${group}` });
      return { id, group: prepared.group };
    }
    async function completed(id: string): Promise<void> {
      const { status } = await eventually(
        `task ${id} ended`,
        async () => {
          const task = await installed.task(id);
          return ENDED.includes(task.status?.phase) && task;
        },
        TASK_SECONDS,
      );
      expect([status.phase, status.failures ?? []]).toEqual(['Completed', []]);
    }
    /** Returns each sample's calls without the header once the api lists the task. */
    async function callsOf({ id, group }: { id: string; group: string }): Promise<Record<string, string[]>> {
      const client = await installed.admin();
      const calls: Record<string, string[]> = {};
      for (const { name } of demo.manifest.samples) {
        const path = encodeURIComponent(`samples/${name}/call/calls.vcf.gz`);
        const answer = await client.raw(`${API}/${group}/tasks/${id}/output/file?path=${path}`);
        if (answer.status === 404) continue;
        const text = gunzipSync(Buffer.from(await answer.arrayBuffer())).toString();
        calls[name] = text.split('\n').filter((line) => !line.startsWith('##'));
      }
      return calls;
    }

    beforeAll(async () => {
      installed = await newInstallation(cluster(), NS);
      await installed.install(
        ...['--set', 'singleNode=false,storage.accessMode=ReadWriteMany,api.replicas=2,operator.replicas=2'],
        ...['--wait', '--timeout', '5m'],
      );
      demo = await openDemoFolder(await makeDemo(local, DEMO_PROGRAM), 'incoming/demo');
      const { fasta, annotation } = demo.manifest.genome;
      for (const path of [fasta, ...annotation.map((source) => source.path)])
        await installed.copyIn('demo', join(demo.dir, path));
    }, IMAGES_MS);
    afterAll(async () => {
      await installed?.dispose();
      rmSync(local, { recursive: true });
    }, 200_000);

    let undisturbed: Record<string, string[]>;
    test("a task's pods run on two nodes and share its folder; so do the pods of api and operator", async () => {
      const task = await launch('first');
      await completed(task.id);
      const nodes = new Set((await podsOf(task.id)).map(({ spec }) => spec.nodeName));
      expect(nodes.size).toBeGreaterThan(1);
      const { items } = await kube().get(`/api/v1/namespaces/${NS}/pods?labelSelector=app.kubernetes.io/name=seqpanel`);
      for (const component of ['api', 'operator']) {
        const ours = items.filter(
          ({ metadata }: KubeObject) => metadata.labels['app.kubernetes.io/component'] === component,
        );
        expect(new Set(ours.map(({ spec }: KubeObject) => spec.nodeName)).size).toBe(2);
      }
      undisturbed = await callsOf(task);
      expect(Object.keys(undisturbed).length).toBeGreaterThan(1);
    }, 900_000);

    test('a task whose node is drained completes with the same calls', async () => {
      const { kubectl, kubeconfig } = cluster();
      const onCluster = (...args: string[]) => promisify(execFile)(kubectl, ['--kubeconfig', kubeconfig, ...args]);
      const task = await launch('drained');
      const [victim] = await eventually(
        'a pod of the task runs',
        async () => {
          const pods = await running(task.id);
          return pods.length > 0 && pods;
        },
        120,
      );
      const node = victim!.spec.nodeName as string;
      try {
        await onCluster(
          ...['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=300s'],
        );
        const gone = await kube().call('GET', `/api/v1/namespaces/${NS}/pods/${victim!.metadata.name}`);
        expect(gone.body.status?.phase).not.toBe('Running');
        expect((await running(task.id)).filter(({ spec }) => spec.nodeName === node)).toEqual([]);
        await completed(task.id);
        const steps = (await installed.task(task.id)).status.stages.flatMap((stage: KubeObject) => stage.steps);
        // Kubernetes replaces evicted pods within their Job.
        expect(steps.map(({ attempt }: KubeObject) => attempt)).toEqual(steps.map(() => 1));
        installed.kubectl('rollout', 'status', 'deployment', '--timeout=180s');
        expect(await callsOf(task)).toEqual(undisturbed);
      } finally {
        await onCluster('uncordon', node);
      }
    }, 1_200_000);
  },
  2,
);
