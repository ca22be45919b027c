/**
 * helm on a real cluster: install, a task with its results, then upgrade, rollback and uninstall during running work.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followTask } from '../../../scripts/demo/follow-task.ts';
import { launchDemo } from '../../../scripts/demo/launch.ts';
import { type DemoFolder, type Prepared, prepareDemo } from '../../../scripts/demo/prepare.ts';
import { API, type RestClient } from '../../../scripts/demo/rest-client.ts';
import { openDataSet } from '../../support/data-folder.ts';
import { testData } from '../../support/pipeline-task.ts';
import { startProduct } from '../../support/product.ts';
import { eventually, type KubeObject } from '../kube-http.ts';
import { describeOnNodes } from '../node/describe-on-nodes.ts';
import { IMAGES_MS, type Installation, newInstallation, RELEASE } from './installation.ts';
import { callsOf, tp53 } from './tp53.ts';

/** With the images on the node. */
const LOGIN_SECONDS = 60;
const NS = `install-${process.pid}`;
const data = testData();

describeOnNodes('an installation by helm', (cluster) => {
  let installed: Installation;
  let folder: DemoFolder;
  let prepared: Prepared;
  const local = mkdtempSync(join(tmpdir(), 'seqpanel-install-'));
  const launch = (client: RestClient, name: string) =>
    launchDemo(client, folder, prepared, { name, idempotencyKey: `install-${name}` });

  beforeAll(async () => {
    installed = await newInstallation(cluster(), NS);
  }, IMAGES_MS);
  afterAll(async () => {
    await installed?.dispose();
    rmSync(local, { recursive: true });
  }, 200_000);

  test("[K8S-30] helm install serves the console's login page within 60 s", async () => {
    const started = Date.now();
    await installed.install();
    expect(await installed.loginPage(LOGIN_SECONDS)).toContain('<div id="root"');
    process.stderr.write(`helm install to login page: ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
    installed.kubectl('rollout', 'status', 'deployment', '--timeout=60s');
    const definitions = installed.kubectl('api-resources', '--api-group=seqpanel.dev', '-o', 'name');
    expect(definitions.trim().split('\n')).toHaveLength(5);
  }, 180_000);

  test('helm test checks login, atomic rename from two pods, and a task on synthetic data', async () => {
    await installed.helm('test', RELEASE, '--namespace', NS, '--timeout', '8m');
    const said = installed.kubectl('logs', '-l', 'app.kubernetes.io/component=test', '--tail=-1');
    expect(said).toContain('is logged in');
    expect(said.match(/25 renames and 25 links, each won by exactly one/g)).toHaveLength(2);
    expect(said).toMatch(/Task demo \(.*\) completed/);
  }, 540_000);

  const withData = data ? describe : describe.skip;
  withData('with a task on public data (skipped where it is absent)', () => {
    let calls: string[];
    let first: string;
    /** Returns the number of links of the sample's alignments on the storage, and their inode. */
    const stored = (task: string): string => {
      const path = `/storage/tasks/${task}/samples/TP53/reads/reads.bam`;
      return installed.kubectl('exec', 'deployment/seqpanel-api', '--', 'stat', '-c', '%h names of %i', path).trim();
    };

    test('a task on real pods writes the same calls, byte for byte, as without a cluster', async () => {
      const set = tp53(data!);
      const client = await installed.admin();
      await installed.copyIn(set.value, set.fasta);
      folder = await openDataSet(client, { storageDir: local }, set);
      prepared = await prepareDemo(client, folder, { group: 'lab', project: 'tp53' });
      first = await launch(client, 'first');
      const task = await followTask(client, prepared.group, first, () => {});
      expect([task.status, task.failures]).toEqual(['completed', []]);
      expect(stored(first)).toMatch(/^2 names of /);
      calls = await callsOf(client, prepared.group, first);
      expect(calls.length).toBeGreaterThan(2);

      // A KUBECONFIG of the user would replace the local control plane.
      const product = await startProduct({ env: { KUBECONFIG: '' } });
      try {
        const embedded = await product.admin();
        const place = await prepareDemo(embedded, await openDataSet(embedded, product, set), {
          group: 'lab',
          project: 'tp53',
        });
        const twin = await launchDemo(embedded, folder, place, { name: 'first', idempotencyKey: 'install-first' });
        await followTask(embedded, place.group, twin, () => {});
        expect(await callsOf(embedded, place.group, twin)).toEqual(calls);
      } finally {
        await product.dispose();
      }
    }, 600_000);

    test('upgrade and rollback do not affect a running task', async () => {
      const id = await launch(await installed.admin(), 'under-way');
      await eventually('task running', async () => (await installed.task(id)).status?.phase === 'Running', 60);
      const pods = () =>
        installed.kubectl('get', 'pods', '-l', 'app.kubernetes.io/component in (api,operator)', '-o', 'name');
      const before = pods();
      await installed.install(
        '--set',
        'api.replicas=2,operator.replicas=2,api.logLevel=debug,operator.logLevel=debug',
        '--wait',
        '--timeout',
        '3m',
      );
      await installed.helm('rollback', RELEASE, '--namespace', NS, '--wait', '--timeout', '3m');
      expect(pods()).not.toEqual(before);
      const { status } = await eventually(
        'task ended',
        async () => {
          const task = await installed.task(id);
          return ['Completed', 'Failed', 'Aborted'].includes(task.status.phase) && task;
        },
        180,
      );
      expect(status.phase).toBe('Completed');
      const steps = status.stages.flatMap((stage: KubeObject) => stage.steps);
      expect(steps.map(({ attempt }: KubeObject) => attempt)).toEqual(steps.map(() => 1));
      const client = await installed.admin();
      const shown = await followTask(client, prepared.group, id, () => {});
      expect(shown.status).toBe('completed');
      expect(await callsOf(client, prepared.group, id)).toEqual(calls);
      // Its reads were reused from the first task, so one file has three links.
      expect(stored(id)).toMatch(/^3 names of /);
      expect(stored(id)).toBe(stored(first));
    }, 420_000);

    test('uninstall keeps tasks, storage and database, which a new installation finds', async () => {
      await installed.helm('uninstall', RELEASE, '--namespace', NS, '--wait');
      const claims = () => installed.kubectl('get', 'pvc', '-o', 'name').trim().split('\n').filter(Boolean).sort();
      expect(claims()).toHaveLength(2);
      expect(installed.kubectl('get', 'atask', '-o', 'name').trim().split('\n').length).toBeGreaterThan(1);

      await installed.install('--wait', '--timeout', '3m');
      const client = await installed.admin();
      const { results } = await client.get<{ results: { id: string; name: string }[] }>(
        `${API}/${prepared.group}/tasks?page_size=100`,
      );
      expect(results.map(({ name }) => name).sort()).toEqual(['first', 'under-way']);
      expect(await callsOf(client, prepared.group, first)).toEqual(calls);

      await installed.install('--set', 'keepData=false', '--wait', '--timeout', '3m');
      // An ended pod also holds its claim.
      installed.kubectl('delete', 'analysistasks,paneltypes,genomes', '--all');
      installed.kubectl('delete', 'pods,jobs', '-l', 'app.kubernetes.io/component=test');
      await installed.helm('uninstall', RELEASE, '--namespace', NS, '--wait');
      await eventually('claims gone', async () => claims().length === 0, 60);
    }, 420_000);
  });
});
