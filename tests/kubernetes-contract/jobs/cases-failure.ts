/** Jobs with pods that fail, and the pod failure policy. */
import { count, created, finished, has, type JobCase } from './job-case.ts';
import { gatedJob } from './job-stage.ts';

const ignoreDisruption = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] };
const badInput = { action: 'FailIndex', onExitCodes: { operator: 'In', values: [2] } };
/** The operator's own policy, in its order. */
const stepPolicy = { podFailurePolicy: { rules: [ignoreDisruption, badInput] } };

const step = gatedJob({ backoffLimitPerIndex: 1, ...stepPolicy });
const stepOfThree = gatedJob({ completions: 3, parallelism: 3, backoffLimitPerIndex: 1, ...stepPolicy });
const noRetry = gatedJob({ completions: 3, parallelism: 3, backoffLimitPerIndex: 0 });
const ruleOrder = gatedJob({ backoffLimitPerIndex: 1, podFailurePolicy: { rules: [badInput, ignoreDisruption] } });
const failJob = gatedJob({
  completions: 3,
  parallelism: 3,
  backoffLimitPerIndex: 1,
  podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }, badInput] },
});
const capped = gatedJob({ completions: 4, parallelism: 2, backoffLimitPerIndex: 0, maxFailedIndexes: 1 });
const overdue = gatedJob({ completions: 1, parallelism: 1, backoffLimitPerIndex: 0 }, { activeDeadlineSeconds: 1 });
const jobDeadline = gatedJob({ backoffLimitPerIndex: 0, activeDeadlineSeconds: 15 });
const plain = gatedJob({ completionMode: 'NonIndexed', backoffLimit: 0 });

export const FAILURE_CASES: JobCase[] = [
  {
    name: 'bad-input-fails-index',
    about: 'Exit 2 matches FailIndex: no retry; the other indexes go on and the Job ends Failed with FailedIndexes.',
    job: stepOfThree,
    steps: [
      created(stepOfThree, 3),
      finished(1, 2, (s) => s.job?.failedIndexes === '1'),
      finished(0, 0, (s) => s.job?.succeeded === 1),
      finished(2, 0, has('Failed')),
    ],
  },
  {
    name: 'retries-used-up',
    about: 'An index that fails once more than backoffLimitPerIndex is failed; the others are kept.',
    job: step,
    steps: [
      created(step, 2),
      finished(0, 0, (s) => s.job?.succeeded === 1),
      finished(1, 1, (s) => s.job?.failed === 1 && s.job.ready === 1),
      finished(1, 1, has('Failed'), 1),
    ],
  },
  {
    name: 'all-indexes-failed',
    about: 'No index succeeds.',
    job: noRetry,
    steps: [
      created(noRetry, 3),
      finished(2, 1, (s) => s.job?.failedIndexes === '2'),
      finished(0, 1, (s) => s.job?.failedIndexes === '0,2'),
      finished(1, 1, has('Failed')),
    ],
  },
  {
    name: 'disruption-ignored',
    about: 'A disrupted pod matches Ignore: replaced, not counted as a failure of its index.',
    job: step,
    steps: [
      created(step, 2),
      {
        does: 'the pod of index 0 is disrupted',
        act: (stage) => stage.disrupt(0),
        until: (s) => s.job?.ready === 2 && s.pods.every((pod) => pod.phase === 'Running'),
      },
      finished(0, 0, (s) => s.job?.succeeded === 1, 1),
      finished(1, 0, has('Complete')),
    ],
  },
  {
    name: 'rule-order-disruption-first',
    about: 'A disrupted pod that also exited 2: the first rule that matches decides, here Ignore.',
    job: step,
    steps: [
      created(step, 2),
      {
        does: 'the pod of index 0 is marked as disrupted and exits 2',
        act: (stage) => stage.markDisrupted(0).then(() => stage.finish(0, 2)),
        until: (s) => s.job?.ready === 2 && count(s, 'Running') === 2 && count(s, 'Failed') === 1,
      },
      finished(0, 0, (s) => s.job?.succeeded === 1, 1),
      finished(1, 0, has('Complete')),
    ],
  },
  {
    name: 'rule-order-exit-code-first',
    about: 'The same pod with the rules the other way round: FailIndex.',
    job: ruleOrder,
    steps: [
      created(ruleOrder, 2),
      {
        does: 'the pod of index 0 is marked as disrupted and exits 2',
        act: (stage) => stage.markDisrupted(0).then(() => stage.finish(0, 2)),
        until: (s) => s.job?.failedIndexes === '0',
      },
      finished(1, 0, has('Failed')),
    ],
  },
  {
    name: 'policy-fails-job',
    about: 'FailJob ends the whole Job: FailureTarget, the other pods deleted, then Failed with PodFailurePolicy.',
    job: failJob,
    steps: [created(failJob, 3), finished(0, 0, (s) => s.job?.succeeded === 1), finished(1, 3, has('Failed'))],
  },
  {
    name: 'too-many-failed-indexes',
    about: 'More failed indexes than maxFailedIndexes end the Job.',
    job: capped,
    steps: [
      created(capped, 2),
      finished(0, 1, (s) => s.job?.failedIndexes === '0' && s.job.ready === 2),
      finished(1, 1, has('Failed')),
    ],
  },
  {
    name: 'pod-deadline',
    about: 'activeDeadlineSeconds of the pod template: the kubelet ends the pod with reason DeadlineExceeded.',
    job: overdue,
    steps: [
      { does: 'create the Job and let a second pass', act: (stage) => stage.create(overdue), until: has('Failed') },
    ],
  },
  {
    name: 'job-deadline',
    about: 'activeDeadlineSeconds of the Job ends all its pods.',
    job: jobDeadline,
    steps: [
      created(jobDeadline, 2),
      finished(0, 0, (s) => s.job?.succeeded === 1),
      { does: 'the deadline passes', act: () => undefined, until: has('Failed') },
    ],
  },
  {
    name: 'plain-failure',
    about: 'A Job that is not Indexed and allows no retry: BackoffLimitExceeded.',
    job: plain,
    steps: [created(plain, 1), finished(0, 1, has('Failed'))],
  },
  {
    name: 'termination-message',
    about: 'What a container wrote as its last word stands in its status.',
    job: noRetry,
    steps: [
      created(noRetry, 3),
      {
        does: 'the pod of index 0 exits 2 with a message',
        act: (stage) => stage.finish(0, 2, 0, '{"outcome":"bad_input","message":"line 4"}'),
        until: (s) => s.job?.failed === 1 && count(s, 'Failed') === 1,
      },
    ],
  },
];
