/** Create, read, update, patch and delete, with the bodies of errors. */

import { aTask, collection } from '../builders.ts';
import type { Server } from '../server.ts';
import { makeNamespace } from '../server.ts';

const NS = 'contract-objects';
const CONFIG_MAPS = `/api/v1/namespaces/${NS}/configmaps`;
const TASKS = collection('AnalysisTask', NS);

const configMap = (name: string, data: Record<string, string> = {}, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
  ...more,
});
const failure = (code: number, reason: string, message: string, details?: object) => ({
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details && { details }),
  code,
});
const STALE = 'the object has been modified; please apply your changes to the latest version and try again';

export function objectsContract(server: Server): void {
  describe('objects', () => {
    beforeAll(() => makeNamespace(server().kube, NS));

    test('[K8S-01] a created AnalysisTask has uid, resourceVersion, creationTimestamp and generation 1, and is read back unchanged', async () => {
      const { kube } = server();
      const made = await kube.create(TASKS, aTask('made'));
      expect(made).toMatchObject({ apiVersion: 'seqpanel.dev/v1alpha1', kind: 'AnalysisTask' });
      expect(made.metadata).toMatchObject({ name: 'made', namespace: NS, generation: 1 });
      expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(made.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
      expect(made.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(await kube.get(`${TASKS}/made`)).toEqual(made);
    });

    test('generateName is completed by five characters', async () => {
      const made = await server().kube.create(CONFIG_MAPS, { ...configMap(''), metadata: { generateName: 'gen-' } });
      expect(made.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
      expect(made.metadata.generateName).toBe('gen-');
    });

    test('a second create of one name is answered 409 AlreadyExists', async () => {
      const { kube } = server();
      await kube.create(CONFIG_MAPS, configMap('twice'));
      const answer = await kube.call('POST', CONFIG_MAPS, configMap('twice'));
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual(
        failure(409, 'AlreadyExists', 'configmaps "twice" already exists', { name: 'twice', kind: 'configmaps' }),
      );
      const task = await kube.call('POST', TASKS, aTask('made'));
      expect(task.body).toEqual(
        failure(409, 'AlreadyExists', 'analysistasks.seqpanel.dev "made" already exists', {
          name: 'made',
          group: 'seqpanel.dev',
          kind: 'analysistasks',
        }),
      );
    });

    test('a missing object is answered 404 NotFound', async () => {
      const answer = await server().kube.call('GET', `${TASKS}/absent`);
      expect(answer.status).toBe(404);
      const details = { name: 'absent', group: 'seqpanel.dev', kind: 'analysistasks' };
      expect(answer.body).toEqual(failure(404, 'NotFound', 'analysistasks.seqpanel.dev "absent" not found', details));
    });

    test('a create in a namespace that does not exist is answered 404', async () => {
      const answer = await server().kube.call('POST', '/api/v1/namespaces/nowhere/configmaps', configMap('x'));
      expect(answer.body).toEqual(
        failure(404, 'NotFound', 'namespaces "nowhere" not found', { name: 'nowhere', kind: 'namespaces' }),
      );
    });

    test('a name that is not a DNS name is answered 422', async () => {
      const answer = await server().kube.call('POST', CONFIG_MAPS, configMap('Not_A_Name'));
      expect(answer.status).toBe(422);
      expect(answer.body.reason).toBe('Invalid');
      expect(answer.body.message).toMatch(
        /^ConfigMap "Not_A_Name" is invalid: metadata\.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain/,
      );
    });

    test('a wrong token is answered 401', async () => {
      const response = await server().kube.call('GET', '/api/v1/namespaces', undefined, undefined, {
        authorization: 'Bearer wrong',
      });
      expect(response.status).toBe(401);
      expect(response.body).toEqual(failure(401, 'Unauthorized', 'Unauthorized'));
    });

    test('a body that is not JSON is answered 400, one of another media type 415', async () => {
      const { kube } = server();
      const broken = await kube.call('POST', CONFIG_MAPS, '{"a":');
      expect([broken.status, broken.body.reason]).toEqual([400, 'BadRequest']);
      const media = await kube.call('PATCH', `${CONFIG_MAPS}/twice`, 'x', 'text/plain');
      expect([media.status, media.body.reason]).toEqual([415, 'UnsupportedMediaType']);
    });

    test('an update of a body with another name than the path is answered 400', async () => {
      const answer = await server().kube.call('PUT', `${CONFIG_MAPS}/twice`, configMap('other'));
      expect(answer.status).toBe(400);
      expect(answer.body.message).toBe('the name of the object (other) does not match the name on the URL (twice)');
    });

    test('an update with an old resourceVersion is answered 409 Conflict and changes nothing', async () => {
      const { kube } = server();
      const first = await kube.create(CONFIG_MAPS, configMap('locked', { a: '1' }));
      await kube.ok('PUT', `${CONFIG_MAPS}/locked`, { ...first, data: { a: '2' } });
      const answer = await kube.call('PUT', `${CONFIG_MAPS}/locked`, { ...first, data: { a: '3' } });
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual(
        failure(409, 'Conflict', `Operation cannot be fulfilled on configmaps "locked": ${STALE}`, {
          name: 'locked',
          kind: 'configmaps',
        }),
      );
      expect((await kube.get(`${CONFIG_MAPS}/locked`)).data).toEqual({ a: '2' });
    });

    test('an update of a custom resource needs a resourceVersion', async () => {
      const { kube } = server();
      const answer = await kube.call('PUT', `${TASKS}/made`, aTask('made'));
      expect(answer.status).toBe(422);
      expect(answer.body.message).toContain('metadata.resourceVersion: Invalid value: 0');
      expect(answer.body.message).toContain('must be specified for an update');
    });

    test('a merge patch sets, removes by null and replaces lists', async () => {
      const { kube } = server();
      await kube.create(CONFIG_MAPS, configMap('patched', { keep: '1', drop: '2' }));
      const patched = await kube.merge(`${CONFIG_MAPS}/patched`, {
        data: { drop: null, add: '3' },
        metadata: { labels: { l: 'x' }, finalizers: ['seqpanel.dev/a', 'seqpanel.dev/b'] },
      });
      expect(patched.data).toEqual({ keep: '1', add: '3' });
      const again = await kube.merge(`${CONFIG_MAPS}/patched`, { metadata: { finalizers: ['seqpanel.dev/c'] } });
      expect(again.metadata.finalizers).toEqual(['seqpanel.dev/c']);
      expect(again.metadata.labels).toEqual({ l: 'x' });
      await kube.merge(`${CONFIG_MAPS}/patched`, { metadata: { finalizers: null } });
    });

    test('a merge patch with an old resourceVersion is answered 409, with the current one it is applied', async () => {
      const { kube } = server();
      const task = await kube.create(TASKS, aTask('lock'));
      const resourceVersion = task.metadata.resourceVersion as string;
      const done = await kube.merge(`${TASKS}/lock`, { metadata: { resourceVersion, labels: { a: '1' } } });
      const answer = await kube.call(
        'PATCH',
        `${TASKS}/lock`,
        { metadata: { resourceVersion, labels: { a: '2' } } },
        'application/merge-patch+json',
      );
      expect([answer.status, answer.body.reason]).toEqual([409, 'Conflict']);
      expect(answer.body.message).toBe(`Operation cannot be fulfilled on analysistasks.seqpanel.dev "lock": ${STALE}`);
      expect(await kube.get(`${TASKS}/lock`)).toEqual(done);
    });

    test('a patch with another uid is answered 422, an update 409', async () => {
      const { kube } = server();
      const uid = '00000000-0000-4000-8000-000000000000';
      for (const path of [`${TASKS}/lock`, `${CONFIG_MAPS}/locked`]) {
        const patch = await kube.call('PATCH', path, { metadata: { uid } }, 'application/merge-patch+json');
        expect([patch.status, patch.body.reason]).toEqual([422, 'Invalid']);
        expect(patch.body.message).toContain(`metadata.uid: Invalid value: "${uid}": field is immutable`);
        const object = await kube.get(path);
        const put = await kube.call('PUT', path, { ...object, metadata: { ...object.metadata, uid } });
        expect([put.status, put.body.reason]).toEqual([409, 'Conflict']);
        expect(put.body.message).toContain(`Precondition failed: UID in precondition: ${uid}`);
      }
    });

    test('status is written only through /status, and /status writes nothing else', async () => {
      const { kube } = server();
      const task = await kube.create(TASKS, { ...aTask('split'), status: { phase: 'Failed' } });
      expect(task.status).toBeUndefined();
      const status = await kube.merge(`${TASKS}/split/status`, {
        status: { phase: 'Running', revision: 1 },
        spec: { abort: true },
        metadata: { labels: { from: 'status' } },
      });
      expect(status.status).toEqual({ phase: 'Running', revision: 1 });
      expect(status.spec.abort).toBe(false);
      expect(status.metadata.labels).toBeUndefined();
      const spec = await kube.merge(`${TASKS}/split`, { spec: { abort: true }, status: { phase: 'Completed' } });
      expect([spec.spec.abort, spec.status.phase]).toEqual([true, 'Running']);
    });

    test('PUT of a status changes nothing else, and other versions and objects are rejected', async () => {
      const { kube } = server();
      const made = await kube.create(TASKS, { ...aTask('put'), metadata: { name: 'put', labels: { a: 'b' } } });
      const { apiVersion, kind, metadata, spec } = made;
      const put = (name: string, revision: number, more: object) =>
        kube.call('PUT', `${TASKS}/${name}/status`, {
          apiVersion,
          kind,
          metadata: { name, ...more },
          status: { phase: 'Running', revision },
        });
      const { resourceVersion, uid } = metadata;
      const { status, body } = await put('put', 1, { uid, resourceVersion });
      expect([status, body.spec, body.status]).toEqual([200, spec, { phase: 'Running', revision: 1 }]);
      expect([body.metadata.labels, body.metadata.generation]).toEqual([{ a: 'b' }, 1]);
      expect((await put('put', 2, { uid, resourceVersion })).body.reason).toBe('Conflict');
      await kube.create(TASKS, aTask('another'));
      expect((await put('another', 2, { uid, resourceVersion })).body.reason).toBe('Conflict');
    });

    test('[K8S-04] a change of the samples is rejected with any status', async () => {
      const { kube } = server();
      const made = await kube.create(TASKS, aTask('changed'));
      made.status = { phase: 'Running', revision: 7 };
      made.spec.samples[0].libraryId = 'another';
      const { status, body } = await kube.call('PUT', `${TASKS}/changed`, made);
      expect([status, body.message]).toEqual([422, expect.stringContaining('spec: cannot be changed after creation')]);
    });

    test('generation counts changes of the spec, not of status or metadata', async () => {
      const { kube } = server();
      await kube.create(TASKS, aTask('counted'));
      await kube.merge(`${TASKS}/counted/status`, { status: { phase: 'Queued' } });
      const labelled = await kube.merge(`${TASKS}/counted`, { metadata: { labels: { a: 'b' } } });
      expect(labelled.metadata.generation).toBe(1);
      const aborted = await kube.merge(`${TASKS}/counted`, { spec: { abort: true } });
      expect(aborted.metadata.generation).toBe(2);
    });

    test('a write that changes nothing keeps the resourceVersion', async () => {
      const { kube } = server();
      const task = await kube.create(TASKS, aTask('same'));
      const patched = await kube.merge(`${TASKS}/same`, { metadata: { labels: null }, spec: { abort: false } });
      expect(patched).toEqual(task);
      const put = await kube.ok('PUT', `${TASKS}/same`, task);
      expect(put.metadata.resourceVersion).toBe(task.metadata.resourceVersion);
    });

    test('a change of an immutable ConfigMap is rejected', async () => {
      const { kube } = server();
      await kube.create(CONFIG_MAPS, configMap('fixed', { 'task.json': '{}' }, { immutable: true }));
      const answer = await kube.call(
        'PATCH',
        `${CONFIG_MAPS}/fixed`,
        { data: { 'task.json': '[]' } },
        'application/merge-patch+json',
      );
      expect(answer.status).toBe(422);
      expect(answer.body.message).toBe(
        'ConfigMap "fixed" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      );
    });

    test('a delete with a failed precondition is answered 409', async () => {
      const { kube } = server();
      await kube.create(CONFIG_MAPS, configMap('kept'));
      const uid = '00000000-0000-4000-8000-000000000000';
      const answer = await kube.call('DELETE', `${CONFIG_MAPS}/kept`, { preconditions: { uid } });
      expect([answer.status, answer.body.reason]).toEqual([409, 'Conflict']);
      expect(answer.body.message).toContain('the UID in the precondition');
      const gone = await kube.call('DELETE', `${CONFIG_MAPS}/kept`);
      expect(gone.status).toBe(200);
      expect((await kube.call('GET', `${CONFIG_MAPS}/kept`)).status).toBe(404);
    });

    test('a change of a Job’s template is rejected, of its parallelism accepted', async () => {
      const { kube } = server();
      const jobs = `/apis/batch/v1/namespaces/${NS}/jobs`;
      await kube.create(jobs, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'fixed' },
        spec: {
          completions: 2,
          completionMode: 'Indexed',
          suspend: true,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'step', image: 'none' }] } },
        },
      });
      const answer = await kube.call(
        'PATCH',
        `${jobs}/fixed`,
        { spec: { completionMode: 'NonIndexed' } },
        'application/merge-patch+json',
      );
      expect(answer.status).toBe(422);
      expect(answer.body.message).toContain('field is immutable');
      const wider = await kube.merge(`${jobs}/fixed`, { spec: { parallelism: 2 } });
      expect(wider.spec.parallelism).toBe(2);
      await kube.ok('DELETE', `${jobs}/fixed`, { propagationPolicy: 'Background' });
    });
  });
}
