import { anInput, SETTINGS } from '../testing/decision-input.ts';
import { condition, createdJob, did } from '../testing/decisions.ts';
import { aJob, aPod } from '../testing/job-builders.ts';
import { aPipeline, aTask } from '../testing/task-builders.ts';
import { decide } from './decide.ts';
import type { Input } from './input.ts';

const DIGEST = `sha256:${'d'.repeat(64)}`;
const settings = (imageRegistry: string) => ({ ...SETTINGS, job: { ...SETTINGS.job, imageRegistry } });
const valid = (change: object): Input['pipeline'] => {
  const pipeline = aPipeline();
  const [first] = pipeline.status?.conditions ?? [];
  return { ...pipeline, status: { conditions: [{ ...first!, ...change }] } };
};
const foreign = (image: string): Input['pipeline'] => aPipeline({ image });
const imageIn = (decision: ReturnType<typeof decide>) => createdJob(decision)?.spec?.template.spec.containers[0]?.image;

describe('[K8S-13] images that a task may run', () => {
  test.each([
    ['is not checked yet', { ...aPipeline(), status: {} }, 'PipelineUnchecked', 'Queued'],
    ['was checked in another generation', valid({ observedGeneration: 7 }), 'PipelineUnchecked', 'Queued'],
    ['could not be checked', valid({ status: 'Unknown', message: 'm' }), 'PipelineInvalid', 'Failed'],
    ['is not valid', valid({ status: 'False', message: 'm' }), 'PipelineInvalid', 'Failed'],
    // The check may be older than the setting it used.
    ['names an image of a foreign registry', foreign('evil.example/x:1'), 'ImageNotAllowed', 'Failed'],
  ])('no Job is created for a Pipeline that %s', (_, pipeline, reason, phase) => {
    const decision = decide(anInput(aTask('t1', 'A'), [], [], { pipeline }));
    expect(decision.before).toEqual([]);
    expect(decision.status.phase).toBe(phase);
    expect(condition(decision, 'Progressing')).toMatchObject({ status: 'False', reason });
  });

  test('a step of a running task is checked again, with the digest that the task names', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running');
    const pipeline = aPipeline();
    pipeline.spec.stages[0]!.steps[1]!.image = 'evil.example/x:1';
    const decision = decide(anInput(task, [aJob('t1', 'reads', [0]).ended()], [], { pipeline }));
    expect(createdJob(decision)).toBeUndefined();
    expect(decision.status.phase).toBe('Failed');
    expect(decision.status.failures).toMatchObject([{ step: 'cohort', code: 'image_not_allowed' }]);
  });
});

describe('one build of an image per task', () => {
  const task = () => aTask('t1', 'A').withStep('reads', 'Running');
  const job = aJob('t1', 'reads', [0]);
  const runs = (imageId: string) => aPod(job.build()).with({ imageId });

  test('the first pod pins the digest, and later Jobs use it', () => {
    const imageId = `docker.io/seqpanel/pipeline@${DIGEST}`;
    const running = decide(anInput(task(), [job], [runs(imageId)]));
    expect(running.status.images).toEqual([{ image: 'seqpanel/pipeline:1.0.0', digest: DIGEST }]);
    const ended = decide(anInput(task(), [aJob('t1', 'reads', [0]).ended()], [runs(imageId).succeeded()]));
    expect(createdJob(ended)?.metadata?.name).toBe('t1-cohort-1');
    expect(imageIn(ended)).toBe(`seqpanel/pipeline@${DIGEST}`);
  });

  test('a digest of the installation’s registry is pinned', () => {
    const imageId = `registry.lab/mirror/seqpanel/pipeline@${DIGEST}`;
    const ended = decide(
      anInput(task(), [aJob('t1', 'reads', [0]).ended()], [runs(imageId).succeeded()], {
        settings: settings('registry.lab/mirror'),
      }),
    );
    expect(imageIn(ended)).toBe(`registry.lab/mirror/seqpanel/pipeline@${DIGEST}`);
  });

  test.each([
    ['an image loaded onto the node has no digest that others can pull', DIGEST],
    ['an image loaded under another name has none either', `docker.io/library/import-2026@${DIGEST}`],
    ['the local control plane runs no images', ''],
  ])('%s', (_, imageId) => {
    const running = decide(anInput(task(), [job], [runs(imageId)]));
    expect(running.status.images).toBeUndefined();
    expect(did(running)).toEqual([]);
  });

  test('a digest set at launch takes precedence', () => {
    const named = `sha256:${'1'.repeat(64)}`;
    const started = decide(
      anInput(
        aTask('t1', 'A').with(({ spec }) => {
          spec.pipeline.images = [{ image: 'seqpanel/pipeline:1.0.0', digest: named }];
        }),
      ),
    );
    expect(imageIn(started)).toBe(`seqpanel/pipeline@${named}`);
  });
});
