/**
 * Upgrade to the next release and rollback, with a running task and active users. `SEQPANEL_OLDER_RELEASE=FOLDER npm
 * run test:cluster -- on-demand/two-releases`: 6 minutes, with the public data, on the node tier or a cluster that has
 * the images of both. FOLDER has the older release's chart as helm/ and its images as api.tar and operator.tar, of
 * another tag than today's (docs/operations/upgrade.md makes it).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { followTask } from '../../../../scripts/demo/follow-task.ts';
import { launchDemo } from '../../../../scripts/demo/launch.ts';
import { type DemoFolder, type Prepared, prepareDemo } from '../../../../scripts/demo/prepare.ts';
import { API, type RestClient } from '../../../../scripts/demo/rest-client.ts';
import { openDataSet } from '../../../support/data-folder.ts';
import { testData } from '../../../support/pipeline-task.ts';
import { ADMIN_PASSWORD } from '../../../support/sign-in.ts';
import { describeSkipped } from '../../binaries.ts';
import { eventually, type KubeObject } from '../../kube-http.ts';
import { describeOnNodes } from '../../node/describe-on-nodes.ts';
import { whoHolds } from '../../node/held.ts';
import { loadImage } from '../../node/images.ts';
import { IMAGES_MS, type Installation, newInstallation, RELEASE } from '../installation.ts';
import { callsOf, tp53 } from '../tp53.ts';

const NS = `releases-${process.pid}`;
const TITLE = 'from one release to the next';
const older = process.env['SEQPANEL_OLDER_RELEASE'];
const data = testData();
const TWO = ['--set', 'api.replicas=2,operator.replicas=2', '--wait', '--timeout', '4m'];
const MINUTES = 60_000;
/** Answers of an api while Postgres restarts, for another image or setting. */
const WITHOUT_DATABASE = /"code":"unavailable"/;
/** Time limit on a busy machine. */
const POSTGRES_RESTART_MS = 20_000;

function suite(): void {
  if (!older) describeSkipped(TITLE, 'SEQPANEL_OLDER_RELEASE is not set');
  else if (!data) describeSkipped(TITLE, 'the public data are not here');
  else describeOnNodes(TITLE, (cluster) => betweenReleases(resolve(older), data, cluster));
}

function betweenReleases(older: string, data: string, cluster: Parameters<Parameters<typeof describeOnNodes>[1]>[0]) {
  const set = tp53(data);
  const local = mkdtempSync(join(tmpdir(), 'seqpanel-releases-'));
  let installed: Installation;
  let folder: DemoFolder;
  let prepared: Prepared;
  let calls: string[];
  let migrationsBefore: string[];

  const launch = (client: RestClient, name: string) =>
    launchDemo(client, folder, prepared, { name, idempotencyKey: `releases-${name}` });
  /** Returns the migrations of the database in the order in which they ran. */
  const migrations = (): string[] => {
    const script = `import('knex').then(async ({ default: knex }) => {
      const db = knex({ client: 'pg', connection: process.env.DATABASE_URL });
      console.log(JSON.stringify(await db('knex_migrations').orderBy('id').pluck('name')));
      await db.destroy();
    })`;
    const said = installed.kubectl('exec', `deployment/${RELEASE}-api`, '-c', 'api', '--', 'node', '-e', script);
    return JSON.parse(said.trim().split('\n').at(-1)!) as string[];
  };
  const podsOf = (component: string, path: string): string[] =>
    installed
      .kubectl(
        ...['get', 'pods', '-l', `app.kubernetes.io/component=${component}`],
        ...['-o', `jsonpath={.items[*].${path}}`],
      )
      .split(' ');
  const images = () => podsOf('api', 'spec.containers[*].image');
  /**
   * Makes users' calls during `work`. Resolves to the failed calls, except those during a restart of Postgres by the
   * work.
   */
  const withPeople = async (name: string, work: () => Promise<void>): Promise<string[]> => {
    const pod = `people-${name}`;
    await cluster().kube.create(
      `/api/v1/namespaces/${NS}/pods`,
      people(pod, images()[0]!.replace('/api:', '/operator:')),
    );
    const log = () => installed.kubectl('logs', pod).trim().split('\n');
    const made = () =>
      Number(
        log()
          .findLast((line) => line.startsWith('calls '))
          ?.split(' ')[1] ?? 0,
      );
    const more = async (count: number) => {
      const goal = made() + count;
      await eventually('people ask on', async () => made() >= goal, 60);
    };
    await eventually(
      'people ask',
      async () => installed.kubectl('get', 'pod', pod).includes('Running') && made() > 0,
      90,
    );
    const database = podsOf('postgres', 'metadata.uid');
    await work();
    await more(30);
    // Includes stopping pods, because an api that exited by itself would have interrupted calls.
    expect(podsOf('api', 'status.containerStatuses[*].restartCount').filter((count) => count !== '0')).toEqual([]);
    const sameDatabase = podsOf('postgres', 'metadata.uid')[0] === database[0];
    const lines = log();
    process.stderr.write(
      `${name}: ${lines.at(-1)}, ${lines.filter((line) => line.startsWith('failed')).length} failed\n`,
    );
    installed.kubectl('delete', 'pod', pod, '--grace-period=0', '--force');
    const failed = lines.filter((line) => line.startsWith('failed '));
    const waiting = failed.filter((line) => WITHOUT_DATABASE.test(line)).map((line) => Date.parse(line.split(' ')[1]!));
    process.stderr.write(`${name}: the same Postgres ${sameDatabase}, ${waiting.length} calls met none\n`);
    if (sameDatabase) return failed;
    expect(waiting.length > 0 ? waiting.at(-1)! - waiting[0]! : 0).toBeLessThan(POSTGRES_RESTART_MS);
    return failed.filter((line) => !WITHOUT_DATABASE.test(line));
  };
  const ended = async (id: string): Promise<void> => {
    const client = await installed.admin();
    const task = await followTask(client, prepared.group, id, () => {});
    expect([task.status, task.failures]).toEqual(['completed', []]);
    const steps = (await installed.task(id)).status.stages.flatMap((stage: KubeObject) => stage.steps);
    expect(steps.map(({ attempt }: KubeObject) => attempt)).toEqual(steps.map(() => 1));
    expect(await callsOf(client, prepared.group, id)).toEqual(calls);
  };

  beforeAll(async () => {
    installed = await newInstallation(cluster(), NS);
    const held = await whoHolds();
    if (held) for (const name of ['api', 'operator']) await loadImage(held.layout, join(older, `${name}.tar`));
    await installed.installChart(join(older, 'helm'), ...TWO);
    const client = await installed.admin();
    await installed.copyIn(set.value, set.fasta);
    folder = await openDataSet(client, { storageDir: local }, set);
    prepared = await prepareDemo(client, folder, { group: 'lab', project: 'tp53' });
    const id = await launch(client, 'before');
    expect((await followTask(client, prepared.group, id, () => {})).status).toBe('completed');
    calls = await callsOf(client, prepared.group, id);
    migrationsBefore = migrations();
  }, IMAGES_MS);
  afterAll(async () => {
    await installed?.dispose();
    rmSync(local, { recursive: true });
  }, 4 * MINUTES);

  test(
    'an upgrade with a running task: no call fails, each migration runs once, the task completes',
    async () => {
      const before = images();
      let id = '';
      const failed = await withPeople('upgrade', async () => {
        id = await launch(await installed.admin(), 'over-the-upgrade');
        await eventually('task running', async () => (await installed.task(id)).status?.phase === 'Running', 60);
        await installed.install(...TWO);
      });
      // helm waits only for the new pods. The older ones may still finish calls.
      await eventually('the older api gone', async () => !images().some((image) => before.includes(image)), 60);
      await ended(id);
      const after = migrations();
      expect(after.slice(0, migrationsBefore.length)).toEqual(migrationsBefore);
      expect(new Set(after).size).toBe(after.length);
      process.stderr.write(`migrations: ${migrationsBefore.length}, then ${after.length}\n`);
      expect(failed).toEqual([]);
    },
    10 * MINUTES,
  );

  test(
    'a rollback with the newer schema: no call fails, a running task and a new one complete',
    async () => {
      let id = '';
      const schema = migrations();
      const failed = await withPeople('rollback', async () => {
        id = await launch(await installed.admin(), 'over-the-rollback');
        await eventually('task running', async () => (await installed.task(id)).status?.phase === 'Running', 60);
        await installed.helm('rollback', RELEASE, '--namespace', NS, '--wait', '--timeout', '4m');
      });
      await ended(id);
      expect(migrations()).toEqual(schema);
      const client = await installed.admin();
      await ended(await launch(client, 'after-the-rollback'));
      const { results } = await client.get<{ results: { name: string }[] }>(
        `${API}/${prepared.group}/tasks?page_size=100`,
      );
      expect(results.map(({ name }) => name).sort()).toEqual([
        ...['after-the-rollback', 'before', 'over-the-rollback', 'over-the-upgrade'],
      ]);
      expect(failed).toEqual([]);
    },
    10 * MINUTES,
  );
}

/** A pod with the labels of helm test, which the network policies allow to reach the api. */
const people = (name: string, image: string): KubeObject => ({
  metadata: {
    name,
    labels: {
      'app.kubernetes.io/name': 'seqpanel',
      'app.kubernetes.io/instance': RELEASE,
      'app.kubernetes.io/component': 'test',
    },
  },
  spec: {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'people',
        image,
        command: ['node', '--input-type=module', '-e', readFileSync(join(import.meta.dirname, 'poll.mjs'), 'utf8')],
        env: [
          { name: 'SEQPANEL_URL', value: `http://${RELEASE}-api` },
          { name: 'SEQPANEL_PASSWORD', value: ADMIN_PASSWORD },
        ],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  },
});

suite();
