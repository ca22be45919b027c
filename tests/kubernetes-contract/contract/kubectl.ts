/** Output of kubectl. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { aTask, collection, FULL } from '../builders.ts';
import { makeNamespace, readDefinitions, type Server } from '../server.ts';

const NS = 'contract-kubectl';
const run = promisify(execFile);

export function kubectlContract(server: Server): void {
  describe('kubectl', () => {
    let folder: string;
    const kubectl = async (...args: string[]) => {
      const { kubectl: program, kubeconfig } = server();
      const shared = ['--kubeconfig', kubeconfig, '--cache-dir', join(folder, 'cache'), '-n', NS];
      return (await run(program!, [...shared, ...args])).stdout;
    };
    const apply = (object: unknown) => {
      const file = join(folder, 'object.json');
      writeFileSync(file, JSON.stringify(object));
      return kubectl('apply', '-f', file);
    };
    const columns = (text: string) =>
      text
        .split('\n')[0]!
        .trim()
        .split(/\s{2,}/);

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'seqpanel-kubectl-'));
      await makeNamespace(server().kube, NS);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('[K8S-07] get atask shows Panel, Samples, Stage, Status, the reason for waiting, and Age', async () => {
      const { kube } = server();
      await kube.create(collection('AnalysisTask', NS), aTask('shown'));
      await kube.merge(`${collection('AnalysisTask', NS)}/shown/status`, {
        status: {
          phase: 'Running',
          stage: 'secondary',
          samples: { total: 1, incomplete: 0 },
          conditions: [
            {
              type: 'Admitted',
              status: 'True',
              lastTransitionTime: '2026-01-01T00:00:00Z',
              reason: 'Admitted',
              message: '',
            },
          ],
        },
      });
      const [head, row] = (await kubectl('get', 'atask')).split('\n');
      expect(head).toMatch(/^NAME +PANEL +SAMPLES +STAGE +STATUS +ADMITTED +AGE$/);
      expect(row).toMatch(/^shown +demo +1 +secondary +Running +Admitted +\d+s$/);
    });

    test('get shows the columns of the other kinds, by plural, singular and short names', async () => {
      for (const kind of ['PanelType', 'Pipeline', 'Genome', 'WorkerPool']) {
        await server().kube.create(collection(kind, NS), FULL[kind]!('shown'));
      }
      expect(columns(await kubectl('get', 'panel'))).toEqual([
        'NAME',
        'DISPLAY NAME',
        'VALUE',
        'ACTIVE',
        'VALID',
        'READY',
        'AGE',
      ]);
      expect(columns(await kubectl('get', 'pipelines'))).toEqual([
        'NAME',
        'DISPLAY NAME',
        'VERSION',
        'STATE',
        'VALID',
        'AGE',
      ]);
      expect(columns(await kubectl('get', 'genome'))).toEqual(['NAME', 'DISPLAY NAME', 'ACTIVE', 'READY', 'AGE']);
      expect(columns(await kubectl('get', 'wpool'))).toEqual([
        'NAME',
        'QUEUE',
        'MIN',
        'MAX',
        'DESIRED',
        'READY',
        'STATUS',
        'AGE',
      ]);
    });

    test('[K8S-08] wait --for=condition=Completed returns when the condition is set', async () => {
      const { kube } = server();
      const path = `${collection('AnalysisTask', NS)}/shown`;
      const waiting = kubectl('wait', '--for=condition=Completed', 'atask/shown', '--timeout=30s');
      const condition = {
        type: 'Completed',
        status: 'True',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        reason: 'Done',
        message: '',
      };
      await kube.merge(`${path}/status`, { status: { phase: 'Completed', conditions: [condition] } });
      expect(await waiting).toBe('analysistask.seqpanel.dev/shown condition met\n');
    });

    test('explain shows the description of every field of every kind', async () => {
      for (const { spec } of readDefinitions()) {
        const schema = spec.versions[0].schema.openAPIV3Schema;
        const top = await kubectl('explain', spec.names.plural);
        expect(flat(top)).toContain(schema.description);
        const text = flat(await kubectl('explain', `${spec.names.plural}.spec`));
        for (const [name, field] of Object.entries<{ description: string }>(schema.properties.spec.properties)) {
          expect([name, text.includes(flat(field.description))]).toEqual([name, true]);
        }
      }
    });

    test('describe shows spec and status', async () => {
      const text = await kubectl('describe', 'atask', 'shown');
      expect(text).toMatch(/Name: +shown/);
      expect(text).toMatch(/Kind: +AnalysisTask/);
      expect(text).toMatch(/Phase: +Completed/);
      expect(text).toMatch(/Events: +<none>/);
    });

    test('describe shows the events of an object', async () => {
      const { kube } = server();
      const { metadata, apiVersion, kind } = await kube.get(`${collection('AnalysisTask', NS)}/shown`);
      await kube.create(`/api/v1/namespaces/${NS}/events`, {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { generateName: 'shown.' },
        involvedObject: { apiVersion, kind, namespace: NS, name: metadata.name, uid: metadata.uid },
        type: 'Warning',
        reason: 'SampleFailed',
        message: 'S1_R1.fastq.gz line 7',
        count: 1,
        firstTimestamp: metadata.creationTimestamp,
        lastTimestamp: metadata.creationTimestamp,
        source: { component: 'seqpanel' },
      });
      const text = await kubectl('describe', 'atask', 'shown');
      expect(text).toMatch(/Warning +SampleFailed +\S+ +seqpanel +S1_R1\.fastq\.gz line 7/);
    });

    test('get -w follows a task', async () => {
      const { kubectl: program, kubeconfig, kube } = server();
      const shared = ['--kubeconfig', kubeconfig, '--cache-dir', join(folder, 'cache'), '-n', NS];
      const child = spawn(program!, [...shared, 'get', 'atask', 'shown', '-w'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
        expect((await lines.next()).value).toMatch(/^NAME +PANEL/);
        expect((await lines.next()).value).toMatch(/Completed +\d+s$/);
        // kubectl does not print changes between its list and its watch, which may take long on a busy machine.
        let revision = 1000;
        const change = () =>
          kube.merge(`${collection('AnalysisTask', NS)}/shown/status`, {
            status: { phase: 'Failed', revision: revision++ },
          });
        const changing = setInterval(() => void change().catch(() => undefined), 1000);
        await lines
          .next()
          .then(({ value }) => expect(value).toMatch(/Failed +\d+s$/))
          .finally(() => clearInterval(changing));
      } finally {
        child.kill();
      }
    });

    test('[K8S-13] apply creates objects, keeps unchanged ones, changes mutable fields and names immutable ones', async () => {
      const pipeline = FULL['Pipeline']!('applied');
      expect(await apply(pipeline)).toBe('pipeline.seqpanel.dev/applied-1.0.0 created\n');
      expect(await apply(pipeline)).toBe('pipeline.seqpanel.dev/applied-1.0.0 unchanged\n');
      pipeline.spec.state = 'Disabled';
      expect(await apply(pipeline)).toBe('pipeline.seqpanel.dev/applied-1.0.0 configured\n');
      pipeline.spec.stages[0].steps[0].image = 'elsewhere/x:1';
      await expect(apply(pipeline)).rejects.toThrow('only state can be changed');
    });

    test('[K8S-13] the shipped pipeline is installed by applying its file', async () => {
      const file = join(import.meta.dirname, '../../../crds/pipelines/panel-1.0.0.yaml');
      expect(await kubectl('apply', '-f', file)).toBe('pipeline.seqpanel.dev/panel-1.0.0 created\n');
    });

    test('apply reports a misspelt field by name', async () => {
      await expect(apply(aTask('misspelt', { sampels: [] }))).rejects.toThrow(/unknown field "spec\.sampels"/);
    });

    test('delete removes an object, and reports a missing one', async () => {
      expect(await kubectl('delete', 'pipeline', 'applied-1.0.0')).toMatch(
        /^pipeline\.seqpanel\.dev "applied-1\.0\.0" deleted/,
      );
      await expect(kubectl('get', 'pipeline', 'applied-1.0.0')).rejects.toThrow(
        'Error from server (NotFound): pipelines.seqpanel.dev "applied-1.0.0" not found',
      );
    });
  });
}

/** Removes line breaks and repeated blanks, because explain wraps descriptions. */
function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
