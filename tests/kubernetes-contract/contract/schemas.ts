/** The schemas of the five kinds: validation, pruning and defaults. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KubeObject } from '../../cluster/kube-http.ts';
import { aSample, aTask, collection, FULL } from '../builders.ts';
import { makeNamespace, readDefinitions, type Server } from '../server.ts';
import { brokenObjects } from './broken.ts';
import { BROKEN_RULES } from './rules/broken-rules.ts';

const NS = 'contract-schemas';
const DEFINITIONS = readDefinitions();
const schemaOf = (definition: KubeObject) => definition.spec.versions[0].schema.openAPIV3Schema;

const WHOLE = [
  ['[K8S-01] [K8S-02] AnalysisTask', 'AnalysisTask'],
  ['[K8S-09] PanelType', 'PanelType'],
  ['[K8S-13] Pipeline', 'Pipeline'],
  ['Genome', 'Genome'],
  ['[K8S-14] WorkerPool', 'WorkerPool'],
] as const;
const SCHEMAS = DEFINITIONS.map((definition) => [definition.spec.names.kind as string, schemaOf(definition)] as const);
const RULES = Object.entries(BROKEN_RULES).flatMap(([kind, rules]) =>
  rules.map((rule) => [`${kind}: ${rule.what}`, { kind, ...rule }] as const),
);

/** Returns the messages of all CEL rules of a schema. */
function ruleMessages(node: KubeObject): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = (node['x-kubernetes-validations'] ?? []).map(({ message }: { message: string }) => message);
  return [...own, ...Object.values(node).flatMap(ruleMessages)];
}

export function schemasContract(server: Server): void {
  describe('schemas', () => {
    beforeAll(() => makeNamespace(server().kube, NS));

    test.each(WHOLE)('%s with every field is accepted and kept whole', async (_title, kind) => {
      const object = FULL[kind]!('full');
      const made = await server().kube.create(`${collection(kind, NS)}?fieldValidation=Strict`, object);
      expect(made.spec).toEqual(object.spec);
    });

    test('[K8S-02] a sample has one of four QC types and one of four roles; a normal serves several pairs', async () => {
      const samples = [
        aSample('A', { qcType: 'NTC', role: 'germline' }),
        aSample('B', { qcType: 'NegCtrl', role: 'control' }),
        aSample('C', { qcType: 'PosCtrl', role: 'tumor' }),
        aSample('D', { qcType: 'Sample', role: 'tumor' }),
        aSample('E', { qcType: 'Sample', role: 'normal' }),
      ];
      const pairs = ['C', 'D'].map((tumor) => ({ name: `pair-${tumor}`, tumor, normal: 'E' }));
      const path = collection('AnalysisTask', NS);
      const { spec } = await server().kube.create(path, aTask('roles', { samples, pairs }));
      expect([spec.samples, spec.pairs]).toEqual([samples, pairs]);
      for (const [field, value] of Object.entries({ qcType: 'Blank', role: 'donor' })) {
        const answer = await server().kube.call(
          'POST',
          path,
          aTask('odd', { samples: [aSample('A', { [field]: value })] }),
        );
        expect([answer.status, answer.body.message]).toEqual([
          422,
          expect.stringContaining(`spec.samples[0].${field}: Unsupported value: "${value}"`),
        ]);
      }
    });

    describe.each(SCHEMAS)('limits of %s', (kind, schema) => {
      const limits = brokenObjects(kind, schema, FULL[kind]!).map((one) => [one.what, one] as const);
      test.each(limits)('[K8S-03] %s is rejected with its path', async (_what, one) => {
        const answer = await server().kube.call('POST', collection(kind, NS), one.object);
        expect([answer.status, answer.body.reason]).toEqual([422, 'Invalid']);
        expect(answer.body.message).toContain(`${kind}.seqpanel.dev "${one.object.metadata.name}" is invalid: `);
        expect(answer.body.message).toContain(one.expected);
      });
    });

    test.each(RULES)(
      '[K8S-03] [K8S-04] %s is rejected with the rule’s message',
      async (_title, { kind, object, change, expected }) => {
        const { kube } = server();
        const path = collection(kind, NS);
        let answer = await kube.call('POST', path, object);
        if (change) {
          expect([answer.status, answer.body.message]).toEqual([201, undefined]);
          const changed = structuredClone(answer.body);
          change(changed);
          answer = await kube.call('PUT', `${path}/${object.metadata.name}`, changed);
        }
        expect([answer.status, answer.body.reason]).toEqual([422, 'Invalid']);
        expect(answer.body.message).toContain(expected);
        expect(answer.body.details.causes.length).toBeGreaterThan(0);
      },
    );

    test('[K8S-03] every CEL rule of the five kinds has a message and is broken by a case above', () => {
      const messages = DEFINITIONS.flatMap((definition) => ruleMessages(schemaOf(definition)));
      expect(messages).not.toContain(undefined);
      const broken = RULES.map(([, { expected }]) => expected);
      expect(messages.filter((message) => !broken.some((text) => text.includes(message)))).toEqual([]);
    });

    test('[K8S-04] [K8S-13] abort can be set on a task, state on a pipeline', async () => {
      const { kube } = server();
      const tasks = collection('AnalysisTask', NS);
      await kube.create(tasks, FULL['AnalysisTask']!('settable'));
      expect((await kube.merge(`${tasks}/settable`, { spec: { abort: true } })).spec.abort).toBe(true);
      const pipelines = collection('Pipeline', NS);
      await kube.create(pipelines, FULL['Pipeline']!('settable'));
      const patched = await kube.merge(`${pipelines}/settable-1.0.0`, { spec: { state: 'Disabled' } });
      expect(patched.spec.state).toBe('Disabled');
    });

    test('[K8S-05] an unknown phase is rejected in the status', async () => {
      const { kube } = server();
      await kube.create(collection('AnalysisTask', NS), aTask('phase'));
      const path = `${collection('AnalysisTask', NS)}/phase/status`;
      const answer = await kube.call('PATCH', path, { status: { phase: 'Done' } }, 'application/merge-patch+json');
      expect(answer.status).toBe(422);
      expect(answer.body.message).toContain(
        'status.phase: Unsupported value: "Done": supported values: "Queued", "Starting", "Running", "Completed", "Aborted", "Failed"',
      );
    });

    test('[K8S-15] the status of a WorkerPool keeps desired, ready and the workers', async () => {
      const { kube } = server();
      const path = collection('WorkerPool', NS);
      await kube.create(path, FULL['WorkerPool']!('with-status'));
      const worker = {
        node: 'node1',
        instanceId: 'i-1',
        cloudStatus: 'running',
        registerStatus: 'ready',
        registerDate: '2026-01-01T00:00:00Z',
        ipAddress: '192.0.2.1',
      };
      const status = { desired: 2, ready: 1, workers: [worker], observedGeneration: 1 };
      expect((await kube.merge(`${path}/with-status/status`, { status })).status).toEqual(status);
    });

    test('[K8S-14] the WorkerPool of the runbook is accepted, and nothing of it is dropped', async () => {
      const pool = parse(readFileSync(join(import.meta.dirname, '../../../docs/operations/worker-pool.yaml'), 'utf8'));
      const made = await server().kube.create(`${collection('WorkerPool', NS)}?fieldValidation=Strict`, pool);
      expect(made.spec).toEqual(pool.spec);
    });

    test('unknown fields are dropped', async () => {
      const task = aTask('pruned', { nonsense: { deep: 1 } });
      task.spec.samples[0].nonsense = true;
      const made = await server().kube.create(collection('AnalysisTask', NS), { ...task, nonsense: 1 });
      expect(JSON.stringify(made.spec)).not.toContain('nonsense');
      expect(made.nonsense).toBeUndefined();
    });

    test('unknown fields are rejected with fieldValidation=Strict, as sent by kubectl', async () => {
      const path = `${collection('AnalysisTask', NS)}?fieldValidation=Strict`;
      const answer = await server().kube.call('POST', path, aTask('strict', { nonsense: 1 }));
      expect([answer.status, answer.body.reason]).toEqual([400, 'BadRequest']);
      expect(answer.body.message).toContain('strict decoding error: unknown field "spec.nonsense"');
    });

    test('[K8S-02] defaults are set', async () => {
      const made = await server().kube.create(collection('AnalysisTask', NS), aTask('defaults'));
      expect(made.spec.abort).toBe(false);
      expect(made.spec.samples[0]).toMatchObject({ qcType: 'Sample', role: 'germline' });
      const { spec } = FULL['Pipeline']!('x');
      for (const stage of spec.stages)
        for (const step of stage.steps) for (const key of ['samplesPerPod', 'retries', 'timeout']) delete step[key];
      delete spec.state;
      const pipeline = await server().kube.create(collection('Pipeline', NS), {
        ...FULL['Pipeline']!('defaults'),
        spec,
      });
      expect(pipeline.spec.state).toBe('Active');
      expect(pipeline.spec.stages[0].steps[0]).toMatchObject({ samplesPerPod: 1, retries: 2, timeout: '12h' });
    });
  });
}
