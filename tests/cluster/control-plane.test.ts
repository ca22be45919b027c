import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOnCluster } from './binaries.ts';
import { type ControlPlane, startWith } from './control-plane.ts';
import { eventually, KubeHttp } from './kube-http.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';

describeOnCluster('the control plane of tests', (binaries) => {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-audit-'));
  const auditLog = join(folder, 'audit.log');
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startWith(binaries, [], {
      auditLog,
      extraTokens: [{ token: 'a-guest', user: 'guest', groups: ['guests', 'system:serviceaccounts'] }],
      serviceAccountCredentials: true,
    });
  });
  afterAll(async () => {
    await plane?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const audited = (user: string) =>
    readFileSync(auditLog, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((entry) => entry.user.username === user)
      .map((entry) => `${entry.verb} ${entry.objectRef?.resource} ${entry.responseStatus.code}`);

  test('another user has the rights granted by RBAC, and each request is audited before its answer', async () => {
    const guest = new KubeHttp({ ...plane, token: 'a-guest' });
    expect((await guest.call('GET', JOBS)).status).toBe(403);
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const apiGroup = 'rbac.authorization.k8s.io';
    await plane.kube.create(`${rbac}/rolebindings`, {
      metadata: { name: 'guests' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup, kind: 'Group', name: 'guests' }],
    });
    await eventually('guests may look', async () => (await guest.call('GET', JOBS)).status === 200);
    guest.close();
    const seen = audited('guest');
    expect(seen.at(0)).toBe('list jobs 403');
    expect(seen.at(-1)).toBe('list jobs 200');
  });

  test('the API server restarts after a kill with the same address and data, and controllers continue', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'step', image: 'none' }] } };
    await plane.kube.create(JOBS, { metadata: { name: 'before' }, spec: { template } });
    await plane.stopApiserver();
    await expect(plane.kube.get(JOBS)).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
    await plane.startApiserver();
    await plane.kube.create(JOBS, { metadata: { name: 'after' }, spec: { template } });
    for (const name of ['before', 'after'])
      await eventually(`pod of Job ${name}`, async () => {
        const { items } = await plane.kube.get(`/api/v1/namespaces/default/pods?labelSelector=job-name%3D${name}`);
        return items.length === 1;
      });
    expect(audited('administrator')).toEqual([]);
    expect(audited('system:serviceaccount:kube-system:job-controller')).toContain('create pods 201');
  });
});
