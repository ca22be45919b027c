/** Runs a step with the mounts of its pod: bind mounts in a mount namespace replace the kubelet's subPaths. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepResults } from '../../api/src/storage/keep-results.ts';
import { buildJob } from '../../operator/src/analysistask/job.ts';
import { ANYWHERE } from '../../operator/src/jobs/placement.ts';
import { SETTINGS } from '../../operator/src/testing/decision-input.ts';
import { aPipeline, aTask } from '../../operator/src/testing/task-builders.ts';
import { makeTask } from '../support/pipeline-task.ts';
import { makeTinyRun, type TinyRun } from '../support/tiny-run.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAMESPACE = ['--user', '--map-root-user', '--mount'];
const possible = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;
const onLinux = possible ? describe : describe.skip;

/** Mounts the lines `from to ro|rw` of the file in the first argument, tries forbidden writes, and runs the step. */
const IN_POD = `set -e
while read -r from to mode; do mkdir -p "$to"; mount --bind "$from" "$to"; [ $mode = rw ] || mount -o remount,bind,ro "$to"; done < "$1"
shift
if touch "$1/kept/g/by-a-pod" 2>/dev/null; then echo 'a pod can write in what is kept'; exit 9; fi
shift
exec "$@"`;

onLinux('mounts as a pod has them (skipped where no user namespace may be made)', () => {
  let run: TinyRun;
  beforeAll(async () => {
    run = await makeTinyRun();
  }, 120_000);
  afterAll(() => rm(run.storage, { recursive: true, force: true }));

  /** Returns the storage mounts of the Job that the operator creates. */
  const mountsOf = (task: string) => {
    const built = aTask(task, 'S').with(({ spec }) => Object.assign(spec, { group: 'g', project: 'p' }));
    const job = buildJob({
      task: built.build(),
      stage: 'secondary',
      step: aPipeline().spec.stages[0]!.steps[0]!,
      image: 'seqpanel/pipeline:1.0.0',
      attempt: 1,
      samples: [0],
      failedSamples: [],
      stepNumber: 1,
      memory: '1Gi',
      genome: 'tiny',
      parallelism: 1,
      placement: ANYWHERE,
      settings: SETTINGS.job,
    });
    const all = job.spec!.template.spec.containers[0]!.volumeMounts!;
    return all
      .filter(({ name }) => name === 'storage')
      .map(({ subPath, readOnly }) => ({ subPath: subPath!, readOnly }));
  };

  test('a result of two tasks is one file on the storage, and a pod cannot change the kept one', async () => {
    const sample = { name: 'S', ...run.reads('once', 60) };
    const stored = [];
    for (const id of ['first', 'second']) {
      const task = await makeTask({ storage: run.storage, id, panel: run.panel, samples: [sample] });
      const pod = join(run.storage, `pod-${id}`);
      const lines = mountsOf(id).map(({ subPath, readOnly }) => {
        mkdirSync(join(run.storage, subPath), { recursive: true });
        return `${join(run.storage, subPath)} ${join(pod, subPath)} ${readOnly ? 'ro' : 'rw'}\n`;
      });
      writeFileSync(`${pod}.mounts`, lines.join(''));
      const step = [
        join(ROOT, 'pipeline-images/bin/seqpanel-step'),
        'reads',
        '--spec',
        task.specFile,
        '--task',
        `tasks/${id}`,
      ];
      const env = { ...process.env, NODE_OPTIONS: '', SEQPANEL_STORAGE: pod, SEQPANEL_TERMINATION_LOG: `${pod}.end` };
      const path = `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`;
      await promisify(execFile)('unshare', [...NAMESPACE, 'bash', '-c', IN_POD, 'pod', `${pod}.mounts`, pod, ...step], {
        env: { ...env, PATH: path },
      });
      const folder = join(task.folder, 'samples/S/reads');
      expect(statSync(join(folder, 'reads.bam')).nlink).toBe(1);
      await keepResults(run.storage, { id, group: 'g' }, new Date());
      const { reused } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
      stored.push({ reused, ino: statSync(join(folder, 'reads.bam')).ino });
    }
    const [first, second] = stored;
    expect([first!.reused, second!.reused]).toEqual([false, true]);
    expect(second!.ino).toBe(first!.ino);
    const { nlink } = statSync(join(run.storage, 'tasks/first/samples/S/reads/reads.bam'));
    expect(nlink).toBe(3);
  }, 120_000);
});
