/** Operator processes scale WorkerPools on a real control plane. A test cloud creates nodes, kwok simulates them. */
import { jest } from '@jest/globals';
import { collection } from '../kubernetes-contract/builders.ts';
import { makeNamespace, readDefinitions } from '../kubernetes-contract/server.ts';
import { describeOnCluster } from './binaries.ts';
import { type ControlPlane, startWith } from './control-plane.ts';
import type { KubeObject } from './kube-http.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';
import { operatorKubeconfig } from './privileges.ts';
import { runOnEveryNode, WorkersCloud } from './workers-cloud.ts';
import { type Course, coursesOf } from './workers-courses.ts';
import { DEPLOYMENTS, WORKER_TARGETS } from './workers-definitions.ts';
import { TestPool } from './workers-pool.ts';
import { ReactionTimes } from './workers-watch.ts';

const NS = 'seqpanel';

// Time limit for the whole scenario of a pool on a busy machine.
jest.setTimeout(180_000);

describeOnCluster('worker nodes on a real control plane', (binaries) => {
  let plane: ControlPlane;
  let cloud: WorkersCloud;
  let reactions: ReactionTimes;
  let operators: OperatorProcess[] = [];
  const courses = new Map<string, Promise<TestPool>>();

  /** The scenarios run in parallel, because each mostly waits. */
  function start(name: string, kind: Course['kind'], course: Course['course']): void {
    const pool = new TestPool(plane.kube, NS, { name, kind });
    const running = course(pool).then(() => pool);
    running.catch(() => undefined); // the test that waits for it reports it
    courses.set(name, running);
  }
  const course = (name: string) => courses.get(name)!;
  const removed = (pool: string) => cloud.removals.filter(({ node }) => node.startsWith(`${pool}-`));

  beforeAll(async () => {
    plane = await startWith(binaries, [...readDefinitions(), ...WORKER_TARGETS]);
    await makeNamespace(plane.kube, NS);
    await plane.startKwok(0);
    await runOnEveryNode(plane.kube);
    await plane.kube.create('/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'neighbour', annotations: { 'seqpanel.dev/cordoned-by': 'neighbour/fast' } },
      spec: { unschedulable: true },
    });
    cloud = new WorkersCloud(plane.kube, NS);
    reactions = new ReactionTimes(plane.kube, NS);
    const kubeconfig = await operatorKubeconfig(plane, NS, { workers: true });
    const settings = { SEQPANEL_WORKERS: 'on', SEQPANEL_LEADER_ELECTION: 'on' };
    operators = await Promise.all([startOperator(kubeconfig, NS, settings), startOperator(kubeconfig, NS, settings)]);

    for (const { name, kind, course } of coursesOf(plane.kube, NS, cloud)) start(name, kind, course);
  });
  afterAll(async () => {
    await Promise.allSettled(courses.values());
    reactions?.stop();
    await Promise.all(operators.map((operator) => operator.end()));
    await cloud?.stop();
    await plane?.stop();
  });

  test('[K8S-24] with a plain scale target: nodes are added for waiting pods, and removed when all of them are idle', async () => {
    const pool = await course('plain');
    await pool.phase('plain-first', 4, 'Succeeded');
    await pool.phase('plain-long', 1, 'Succeeded');
    // One node to learn its resources, then the rest: two pods of 30 cores per node.
    const asked = reactions.asked.get('plain')!;
    expect(asked.slice(0, 2)).toEqual([0, 1]);
    expect(asked.slice(-2)).toEqual([3, 0]);
    expect(asked.slice(0, -1)).toEqual([...asked.slice(0, -1)].sort());
    expect(await pool.replicas()).toBe(0);
    expect((await pool.get()).status).toMatchObject({ desired: 0, ready: 0, pendingPods: 0 });
    expect((await pool.get()).status.nodeOffer).toMatchObject({ cpu: '63000m' });
    const events = await pool.events();
    expect(
      events.filter((event) => /^ScaledOut: From \d to 3 nodes: \d stage pods are waiting \(plain-/.test(event)),
    ).toHaveLength(1);
    expect(events.filter((event) => event.startsWith('ScaledIn: From 3 to 0 nodes, idle: plain-'))).toHaveLength(1);
  });

  test('[K8S-15] [K8S-25] with machines, idle nodes are cordoned and removed while a busy node stays', async () => {
    const pool = await course('machines');
    const [long] = await pool.phase('machines-long', 1, 'Running');
    expect(removed('machines').map(({ node }) => node)).not.toContain(long);
    const asked = reactions.asked.get('machines')!;
    expect(Math.max(...asked)).toBe(3);
    expect(asked.at(-1)).toBe(1);
    expect((await pool.events()).filter((event) => event.startsWith('NodeLost'))).toEqual([]);
    const [pod] = await pool.pods('machines-long');
    const { status } = await pool.until('the task on the node', ({ status }) =>
      status.workers.some((w: KubeObject) => w.task),
    );
    expect(status).toMatchObject({ desired: 1, ready: 1, runningPods: 1 });
    expect(status.workers).toEqual([
      expect.objectContaining({
        node: long,
        instanceId: `test:///${long}`,
        cloudStatus: 'Running',
        registerStatus: 'Ready',
        registerDate: expect.stringMatching(/^\d{4}-.*Z$/),
        ipAddress: '192.0.2.9',
        task: 'task-machines-long',
      }),
    ]);
    expect(pod.status.phase).toBe('Running');
  });

  test('[K8S-25] new work uncordons a cordoned node, and no other node is requested', async () => {
    const pool = await course('back');
    expect(reactions.asked.get('back')).toEqual([0, 1]);
    const [node] = await pool.nodes();
    expect(node.spec.unschedulable).toBeUndefined();
    expect(Object.keys(node.metadata.annotations).filter((name) => name.startsWith('seqpanel.dev/'))).toEqual([]);
  });

  test('a machine that never registers is replaced with growing delay; when one joins, the pool is ready', async () => {
    const pool = await course('mute');
    expect(reactions.asked.get('mute')).toEqual([0, 1]);
    const condition = await pool.condition('Ready');
    expect([condition.status, condition.reason]).toEqual(['False', 'NodeNeverRegistered']);
    expect(await pool.events()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^NodeNeverRegistered: Replaced mute-\d+: .*round 2/)]),
    );
    cloud.broken.delete('mute');
    await pool.until(
      'ready',
      async ({ status }) => status.ready === 1 && (await pool.condition('Ready'))?.status === 'True',
    );
    expect((await pool.get()).status.replacements).toBeUndefined();
  });

  test('with a plain scale target it is reported, and the number is not changed', async () => {
    const pool = await course('mute-plain');
    expect(reactions.asked.get('mute-plain')).toEqual([0, 2]);
    expect((await pool.condition('Ready')).message).toContain('2 requested nodes did not join the cluster within 2 s');
    expect((await pool.get()).status).toMatchObject({ desired: 2, ready: 0 });
  });

  test('a node deleted by hand is reported, and the pool gets another one', async () => {
    const pool = await course('lost');
    await pool.until('another node', ({ status }) => status.ready === 1);
    expect(await pool.replicas()).toBe(1);
  });

  test('a missing target is reported; when it exists, the pool is scaled', async () => {
    const pool = await course('no-target');
    expect((await pool.condition('Ready')).message).toContain('NodeGroup no-target does not exist');
    await pool.createTarget(1);
    // A change of the pool is handled immediately, a change of only the target within a minute.
    await plane.kube.merge(pool.path, { spec: { max: 2 } });
    await pool.until('served', async () => (await pool.condition('Ready'))?.status === 'True');
  });

  test('[K8S-24] a target that another installation scales is left alone and reported; when it is free, the pool is scaled', async () => {
    const pool = await course('no-target');
    const path = `/apis/coordination.k8s.io/v1/namespaces/${NS}/leases/seqpanel-workers`;
    const { metadata } = await plane.kube.get(path);
    const claims = Object.entries(metadata.annotations as Record<string, string>);
    const [annotation, text] = claims.find(([, claim]) => claim.includes('NodeGroup.test.seqpanel.dev no-target'))!;
    const claim = JSON.parse(text);
    expect(claim.pool).toBe(`${NS}/no-target`);
    const write = (value: string | null) =>
      plane.kube.merge(path, { metadata: { annotations: { [annotation]: value } } });
    await write(JSON.stringify({ ...claim, pool: 'neighbour/large' }));
    await plane.kube.merge(pool.path, { spec: { min: 2, max: 3 } });
    await pool.until('told', async () => (await pool.condition('Ready'))?.reason === 'Duplicate');
    expect((await pool.condition('Ready')).message).toContain('pool neighbour/large of another installation');
    expect(await pool.events()).toContainEqual(expect.stringMatching(/^Duplicate: .*neighbour\/large/));
    expect(await pool.replicas()).toBe(1);
    await write(null);
    await plane.kube.merge(pool.path, { spec: { max: 2 } });
    await pool.until('served', async () => (await pool.condition('Ready'))?.status === 'True');
    expect(await pool.replicas()).toBe(2);
  });

  test('[K8S-24] the number stops at max, and the condition reports how many more are needed', async () => {
    const pool = await course('back');
    await pool.launch('back-many', 3, 60, '1s');
    await pool.until('told', async () => (await pool.condition('Limited'))?.reason === 'MaxReached');
    expect((await pool.condition('Limited')).message).toBe('3 nodes more needed than spec.max (1) allows.');
    expect(await pool.replicas()).toBe(1);
  });

  test('of two pools of one queue the older scales, and the younger reports it', async () => {
    const second = new TestPool(plane.kube, NS, { name: 'second', kind: 'NodeGroup' });
    await second.createTarget();
    await second.create({ queue: 'back', min: 1 });
    await second.until('told', async () => (await second.condition('Ready'))?.reason === 'Duplicate');
    expect((await second.condition('Ready')).message).toContain('spec.queue: same queue as the older pool back');
    expect(await second.replicas()).toBe(0);
  });

  test('[K8S-24] a task adds nodes to its queue and completes on them; then they are removed', async () => {
    const pool = await course('task');
    const { status } = await plane.kube.get(`${collection('AnalysisTask', NS)}/task`);
    expect(status).toMatchObject({ phase: 'Completed', samples: { total: 3, incomplete: 0 } });
    expect(reactions.asked.get('task')?.slice(0, 2)).toEqual([0, 1]);
    expect(await pool.replicas()).toBe(0);
    const pods = await plane.kube.get(`/api/v1/namespaces/${NS}/pods?labelSelector=seqpanel.dev%2Ftask%3Dtask`);
    for (const { spec } of pods.items) expect(spec.nodeSelector).toEqual({ 'test/pool': 'task' });
  });

  test('the server rejects a change that is based on an outdated number', async () => {
    const path = `${DEPLOYMENTS(NS)}/machines/scale`;
    const { metadata, spec } = await plane.kube.get(path);
    const set = (replicas: number) =>
      plane.kube.call(
        'PATCH',
        path,
        { metadata: { resourceVersion: metadata.resourceVersion }, spec: { replicas } },
        'application/merge-patch+json',
      );
    const target = `${DEPLOYMENTS(NS)}/machines`;
    await plane.kube.merge(target, { metadata: { annotations: { changed: 'meanwhile' } } });
    expect((await set(spec.replicas + 1)).status).toBe(409);
  });

  test('[K8S-25] no removed node ran a stage pod or was not cordoned', async () => {
    await Promise.all(courses.values());
    expect(cloud.failure).toBeUndefined();
    const ours = cloud.removals;
    expect(ours.length).toBeGreaterThanOrEqual(5);
    expect(ours.filter(({ stagePods, cordoned }) => stagePods.length > 0 || !cordoned)).toEqual([]);
  });

  test('[K8S-24] a pod without room raises the target’s number in less than a second', async () => {
    await course('quick');
    expect(reactions.asked.get('quick')).toEqual([0, 1, 2, 3, 4]);
    const times = [1, 2, 3, 4].map((n) => reactions.from(`quick-${n}`, 'quick', n)).sort((a, b) => a - b);
    process.stderr.write(`pod without room to scale, ms: ${times.join(', ')}\n`);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(1000);
  });

  test('[K8S-25] a node cordoned by a pool of another installation is left alone', async () => {
    await course('no-target');
    const { metadata, spec } = await plane.kube.get('/api/v1/nodes/neighbour');
    expect([metadata.annotations['seqpanel.dev/cordoned-by'], spec.unschedulable]).toEqual(['neighbour/fast', true]);
  });

  test('one of two operators works; when it is killed, the other continues from the status', async () => {
    const pool = await course('quick');
    const leads = async ({ url }: OperatorProcess) =>
      (await (await fetch(`${url}/metrics`)).text()).includes('\nseqpanel_operator_leader 1\n');
    const leading = await Promise.all(operators.map(leads));
    expect(leading.filter(Boolean)).toHaveLength(1);
    await operators[leading.indexOf(true)]!.end('SIGKILL');
    await plane.kube.merge(pool.path, { spec: { max: 5 } });
    await pool.launch('quick-5', 1, 60, '10m');
    await pool.phase('quick-5', 1, 'Running');
    expect(reactions.asked.get('quick')).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
