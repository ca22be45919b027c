/** Cluster features that the product relies on, each with a minimal test. */
import { randomBytes } from 'node:crypto';
import { eventually, type KubeObject } from '../kube-http.ts';
import { BUSYBOX_IMAGE } from './busybox-image.ts';
import { describeOnNodes } from './describe-on-nodes.ts';
import { makeTestVolume } from './test-volume.ts';

const NS = `battery-${randomBytes(4).toString('hex')}`;
const CORE = `/api/v1/namespaces/${NS}`;
/** Time limit on a busy machine. Otherwise each test takes seconds. */
const PATIENCE_MS = 120_000;
const JOBS = `/apis/batch/v1/namespaces/${NS}/jobs`;

/** A pod that passes the strictest pod security, like all pods of the product. */
const aPod = (script: string, more: { pod?: KubeObject; container?: KubeObject } = {}): KubeObject => ({
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 1,
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001, seccompProfile: { type: 'RuntimeDefault' } },
  volumes: [{ name: 'tmp', emptyDir: {} }],
  ...more.pod,
  containers: [
    {
      name: 'main',
      image: BUSYBOX_IMAGE,
      command: ['sh', '-c', script],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
      ...more.container,
    },
  ],
});

describeOnNodes('what the product relies on in a cluster', (cluster) => {
  const kube = () => cluster().kube;
  const startPod = (name: string, spec: KubeObject) =>
    kube().create(`${CORE}/pods`, { metadata: { name, labels: { name } }, spec });
  const startJob = (name: string, spec: KubeObject) => kube().create(JOBS, { metadata: { name }, spec });

  async function endedPod(name: string): Promise<{ phase: string; log: string; state: KubeObject }> {
    const { status } = await eventually(
      `pod ${name} ended`,
      async () => {
        const pod = await kube().get(`${CORE}/pods/${name}`);
        return ['Succeeded', 'Failed'].includes(pod.status.phase) && pod;
      },
      60,
    );
    const { body: log } = await kube().call('GET', `${CORE}/pods/${name}/log`);
    return { phase: status.phase, log, state: status.containerStatuses[0].state.terminated };
  }
  const endedJob = (name: string): Promise<KubeObject> =>
    eventually(
      `Job ${name} ended`,
      async () => {
        const { status } = await kube().get(`${JOBS}/${name}`);
        const ended = status.conditions?.find(({ type }: KubeObject) => type === 'Complete' || type === 'Failed');
        return ended && { ...status, ended };
      },
      60,
    );

  let volume: { remove(): Promise<void> } | undefined;
  beforeAll(async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await kube().create('/api/v1/namespaces', { metadata: { name: NS, labels } });
    await eventually('service account', () => kube().get(`${CORE}/serviceaccounts/default`));
    volume = await makeTestVolume(cluster(), NS);
  }, PATIENCE_MS);
  afterAll(async () => {
    await kube().ok('DELETE', `/api/v1/namespaces/${NS}`);
    const gone = async () => (await kube().call('GET', `/api/v1/namespaces/${NS}`)).status === 404;
    await eventually('namespace gone', gone, 60);
    await volume?.remove();
  }, PATIENCE_MS);

  test('a pod runs as the given user, without capabilities and token, on a read-only root file system', async () => {
    await startPod(
      'conforming',
      aPod(
        'id; grep -E "CapEff|NoNewPrivs|Seccomp:" /proc/self/status; touch /x 2>&1; touch /tmp/x; ls /tmp /var/run/secrets 2>&1; true',
      ),
    );
    const { phase, log } = await endedPod('conforming');
    expect(phase).toBe('Succeeded');
    expect(log).toContain('uid=10001');
    expect(log).toMatch(/CapEff:\s+0{16}\nNoNewPrivs:\s+1\nSeccomp:\s+2/);
    expect(log).toMatch(/touch: \/x: Read-only file system/);
    expect(log).toMatch(/\/tmp:\nx/);
    expect(log).toContain('ls: /var/run/secrets: No such file');
  });

  test('the namespace rejects a pod that requests more', async () => {
    const pod = { metadata: { name: 'refused' }, spec: { containers: [{ name: 'main', image: BUSYBOX_IMAGE }] } };
    const { status, body } = await kube().call('POST', `${CORE}/pods`, pod);
    expect(status).toBe(403);
    expect(body.message).toContain('violates PodSecurity "restricted');
  });

  test('each index of a Job writes to its own folder of a claimed volume, and another pod reads all of them', async () => {
    await kube().create(`${CORE}/persistentvolumeclaims`, {
      metadata: { name: 'storage' },
      spec: { accessModes: ['ReadWriteMany'], storageClassName: NS, resources: { requests: { storage: '1Gi' } } },
    });
    const volumes = [{ name: 'storage', persistentVolumeClaim: { claimName: 'storage' } }];
    const mounted = (subPath?: string) => ({
      pod: { volumes },
      container: { volumeMounts: [{ name: 'storage', mountPath: '/storage', ...(subPath && { subPath }) }] },
    });
    const script = 'echo $JOB_COMPLETION_INDEX >/storage/part && mv /storage/part /storage/$JOB_COMPLETION_INDEX';
    await startJob('indexed', {
      completions: 3,
      parallelism: 3,
      completionMode: 'Indexed',
      backoffLimit: 0,
      template: { spec: aPod(script.replaceAll('/part', '/part$JOB_COMPLETION_INDEX'), mounted('tasks/1')) },
    });
    expect(await endedJob('indexed')).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    await startPod('reader', aPod('cd /storage/tasks/1; cat *; ls', mounted()));
    expect((await endedPod('reader')).log).toBe('0\n1\n2\n0\n1\n2\n');
  });

  const rule = (action: string) => ({ rules: [{ action, onExitCodes: { operator: 'In', values: [2] } }] });
  test('exit code 2 is final for its index, and the others continue', async () => {
    await startJob('by-index', {
      completions: 3,
      parallelism: 3,
      completionMode: 'Indexed',
      backoffLimitPerIndex: 1,
      podFailurePolicy: rule('FailIndex'),
      template: { spec: aPod('[ $JOB_COMPLETION_INDEX != 1 ] || exit 2') },
    });
    expect(await endedJob('by-index')).toMatchObject({ failed: 1, failedIndexes: '1', completedIndexes: '0,2' });
  });

  test('exit code 2 immediately ends a Job of the whole task', async () => {
    await startJob('whole', {
      backoffLimit: 3,
      podFailurePolicy: rule('FailJob'),
      template: { spec: aPod('exit 2') },
    });
    const { failed, ended } = await endedJob('whole');
    expect([failed, ended.type, ended.reason]).toEqual([1, 'Failed', 'PodFailurePolicy']);
  });

  test('a container that exceeds its memory limit ends OOMKilled with exit code 137', async () => {
    const container = { command: ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=200M', 'count=1'] };
    const resources = { limits: { memory: '32Mi', cpu: '200m' } };
    await startPod('greedy', aPod('', { container: { ...container, resources } }));
    const { state } = await endedPod('greedy');
    expect([state.reason, state.exitCode]).toEqual(['OOMKilled', 137]);
  });

  test('a service is resolved by name and its address reaches the Ready pod', async () => {
    await kube().create(`${CORE}/services`, {
      metadata: { name: 'web' },
      spec: { selector: { name: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    const readinessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 };
    const serve = 'echo served >/tmp/index.html; exec httpd -f -p 8080 -h /tmp';
    await startPod('web', aPod(serve, { container: { readinessProbe } }));
    await eventually('web Ready', async () => {
      const { status } = await kube().get(`${CORE}/pods/web`);
      return status.conditions?.some(({ type, status }: KubeObject) => type === 'Ready' && status === 'True');
    });
    const full = `web.${NS}.svc.cluster.local`;
    const ask = `until wget -qO- http://web; do sleep 0.2; done; wget -qO- http://${full}; nslookup -type=a ${full}`;
    await startPod('client', aPod(ask));
    const { log } = await endedPod('client');
    const { spec } = await kube().get(`${CORE}/services/web`);
    expect(log).toMatch(/^served\nserved\n/m);
    expect(log).toContain(`Name:\t${full}\nAddress: ${spec.clusterIP}`);
  });
});
