/**
 * The chart's admission policies on a real API server: the accounts that may assign groups, and the images that a
 * Pipeline may name.
 */
import { aTask, collection, FULL } from '../kubernetes-contract/builders.ts';
import { makeNamespace, readDefinitions } from '../kubernetes-contract/server.ts';
import { describeOnCluster } from './binaries.ts';
import { type ControlPlane, startWith } from './control-plane.ts';
import { objectsOf, openHelm } from './install/helm.ts';
import { eventually, KubeHttp, type KubeObject } from './kube-http.ts';
import { giveRights } from './privileges.ts';

const NS = 'seqpanel';
const GROUP = '0b6f4c1e-0000-4000-8000-000000000001';
const OTHER_GROUP = '0b6f4c1e-0000-4000-8000-00000000000f';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const RBAC = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NS}`;

/** A Pipeline whose first step runs `image`. */
function aPipeline(name: string, image: string): KubeObject {
  const pipeline = structuredClone(FULL['Pipeline']!(name));
  for (const stage of pipeline.spec.stages) for (const step of stage.steps) step.image = 'seqpanel/pipeline:1.0.0';
  pipeline.spec.stages[0].steps[0].image = image;
  return pipeline;
}

describeOnCluster('admission on a real control plane', (binaries) => {
  let plane: ControlPlane;
  let api: KubeHttp;
  let curator: KubeHttp;

  beforeAll(async () => {
    const extraTokens = [{ token: 'a-curator', user: 'curator', groups: [] }];
    plane = await startWith(binaries, readDefinitions(), { extraTokens });
    await makeNamespace(plane.kube, NS);
    await makeNamespace(plane.kube, 'elsewhere');
    const manifests = await openHelm(binaries.helm)(
      ...['template', 'seqpanel', '.', '--namespace', NS, '--values', 'examples/small.yaml'],
      ...['--set', 'images.registry=registry.lab/mirror', '--set', 'tasks.imagePrefixes={quay.io/lab/}'],
    );
    for (const object of objectsOf(manifests).filter(({ kind }) => kind.startsWith('ValidatingAdmission')))
      await plane.kube.create(
        object.kind.endsWith('Binding') ? POLICIES.replace(/ies$/, 'ybindings') : POLICIES,
        object,
      );
    api = new KubeHttp({ ...plane, token: (await giveRights(plane, NS)).api });
    curator = new KubeHttp({ ...plane, token: 'a-curator' });
    await allow('make', ['create', 'update'], ['analysistasks', 'pipelines'], []);
    await eventually('the policies are in force', async () => {
      const { status } = await curator.call('POST', collection('AnalysisTask', NS), aTask('too-early'));
      if (status === 201) await plane.kube.call('DELETE', `${collection('AnalysisTask', NS)}/too-early`);
      return status === 403;
    });
  }, 120_000);
  afterAll(async () => {
    api?.close();
    curator?.close();
    await plane?.stop();
  });

  /** Gives the curator a Role. */
  async function allow(name: string, verbs: string[], resources: string[], resourceNames: string[]): Promise<void> {
    const apiGroup = 'rbac.authorization.k8s.io';
    const rules = [{ apiGroups: ['seqpanel.dev'], resources, verbs, ...(resourceNames[0] && { resourceNames }) }];
    await plane.kube.create(`${RBAC}/roles`, { metadata: { name }, rules });
    const subjects = [{ apiGroup, kind: 'User', name: 'curator' }];
    const roleRef = { apiGroup, kind: 'Role', name };
    await plane.kube.create(`${RBAC}/rolebindings`, { metadata: { name }, roleRef, subjects });
  }

  const make = (client: KubeHttp, kind: string, object: KubeObject, namespace = NS) =>
    client.call('POST', collection(kind, namespace), object);

  test("the api's account launches tasks of any group", async () => {
    expect((await make(api, 'AnalysisTask', aTask('by-api'))).status).toBe(201);
  });

  test('an account that may create tasks but not assign groups is rejected with the missing verb', async () => {
    const { status, body } = await make(curator, 'AnalysisTask', aTask('by-curator'));
    expect(status).toBe(403);
    expect(JSON.stringify(body)).toContain('ask for the verb assign-group');
  });

  test('the verb can be limited to some groups', async () => {
    await allow('assign', ['assign-group'], ['analysistasks'], [GROUP]);
    await eventually('the right holds', async () => {
      const { status } = await make(curator, 'AnalysisTask', aTask('own-group', { group: GROUP }));
      return status === 201 || status === 409;
    });
    expect((await make(curator, 'AnalysisTask', aTask('foreign', { group: OTHER_GROUP }))).status).toBe(403);
  });

  test.each([
    ['seqpanel/pipeline:1.0.0', 201],
    ['registry.lab/mirror/seqpanel/pipeline:2', 201],
    ['quay.io/lab/caller:2', 201],
    ['quay.io/laboratory/caller:2', 422],
    ['docker.io/seqpanel/pipeline:1.0.0', 422],
    ['registry.lab.evil.example/mirror/seqpanel/pipeline:1', 422],
    ['lab/caller:2', 422],
  ])('a Pipeline that names %s is answered %d', async (image, expected) => {
    const name = `p-${image.replace(/[^a-z0-9]+/g, '-')}`.slice(0, 60);
    const { status, body } = await make(curator, 'Pipeline', aPipeline(name, image));
    expect({ status, said: expected === 201 || JSON.stringify(body).includes(image) }).toEqual({
      status: expected,
      said: true,
    });
  });

  test('other namespaces are not affected', async () => {
    expect((await make(plane.kube, 'Pipeline', aPipeline('free', 'docker.io/any/x'), 'elsewhere')).status).toBe(201);
  });
});
