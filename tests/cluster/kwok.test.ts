import { describeOnCluster } from './binaries.ts';
import { type ControlPlane, startWith } from './control-plane.ts';
import { eventually, type KubeObject } from './kube-http.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';

describeOnCluster('kwok on a real control plane', (binaries) => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startWith(binaries);
    await plane.startKwok(3);
  });
  afterAll(() => plane?.stop());

  async function ended(name: string, spec: KubeObject, annotations: Record<string, string> = {}): Promise<KubeObject> {
    await plane.kube.create(JOBS, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name },
      spec: {
        completionMode: 'Indexed',
        backoffLimitPerIndex: 1,
        ...spec,
        template: {
          metadata: { annotations },
          spec: { restartPolicy: 'Never', containers: [{ name: 'step', image: 'none' }] },
        },
      },
    });
    return eventually(`Job ${name} ended`, async () => {
      const job = await plane.kube.get(`${JOBS}/${name}`);
      const end = (job.status.conditions ?? []).some(({ type }: { type: string }) =>
        ['Complete', 'Failed'].includes(type),
      );
      return end && job;
    });
  }

  test('a Job of 20 indexes completes on fake nodes', async () => {
    const { status } = await ended('twenty', { completions: 20, parallelism: 20 });
    expect(status).toMatchObject({ succeeded: 20, completedIndexes: '0-19' });
  });

  test('e2e/duration keeps a pod running, e2e/exit-code ends it with that code', async () => {
    const begin = Date.now();
    const rules = [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [2] } }];
    const { status } = await ended(
      'bad-input',
      { completions: 2, parallelism: 2, podFailurePolicy: { rules } },
      { 'e2e/duration': '2s', 'e2e/exit-code': '2' },
    );
    expect(Date.now() - begin).toBeGreaterThan(2000);
    expect(status).toMatchObject({ failed: 2, failedIndexes: '0,1' });
  });
});
