/** Jobs that are suspended, changed or deleted, or whose pods are deleted or cannot be scheduled. */
import { count, created, finished, has, type JobCase } from './job-case.ts';
import { gatedJob, type JobStage } from './job-stage.ts';

const pair = gatedJob({ backoffLimitPerIndex: 0 });
const suspended = gatedJob({ backoffLimitPerIndex: 0, suspend: true });
const wide = gatedJob({ completions: 4, parallelism: 1, backoffLimitPerIndex: 0 });
const withTtl = gatedJob({ completions: 1, parallelism: 1, backoffLimitPerIndex: 0, ttlSecondsAfterFinished: 1 });
const policy = { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [2] } }] };
const replacedOnceFailed = gatedJob({
  completions: 1,
  parallelism: 1,
  backoffLimitPerIndex: 1,
  podFailurePolicy: policy,
});
const greedy = gatedJob(
  { completions: 1, parallelism: 1, backoffLimitPerIndex: 0 },
  {
    containers: [
      { name: 'step', image: 'none', command: ['true'], resources: { requests: { cpu: '9000', memory: '1Gi' } } },
    ],
  },
);

const deletion = (name: string, about: string, policyName?: 'Background' | 'Foreground' | 'Orphan'): JobCase => ({
  name,
  about,
  job: pair,
  steps: [
    created(pair, 2),
    finished(0, 0, (s) => s.job?.succeeded === 1),
    {
      does: `delete the Job${policyName ? ` with propagationPolicy ${policyName}` : ' without a propagationPolicy'}`,
      act: (stage: JobStage) => stage.deleteJob(policyName),
      until: (s) => s.job === null && s.pods.length === (policyName === 'Orphan' || !policyName ? 2 : 0),
    },
  ],
});

export const LIFETIME_CASES: JobCase[] = [
  {
    name: 'suspended-then-resumed',
    about: 'A Job created suspended starts no pod until it is resumed.',
    job: suspended,
    steps: [
      { does: 'create the Job', act: (stage) => stage.create(suspended), until: has('Suspended') },
      {
        does: 'resume it',
        act: (stage) => stage.patchJob({ spec: { suspend: false } }),
        until: (s) => s.job?.ready === 2,
      },
      finished(0, 0, (s) => s.job?.succeeded === 1),
      finished(1, 0, has('Complete')),
    ],
  },
  {
    name: 'suspended-while-running',
    about: 'Suspending deletes the running pods without counting a failure and keeps what has succeeded.',
    job: pair,
    steps: [
      created(pair, 2),
      finished(0, 0, (s) => s.job?.succeeded === 1),
      {
        does: 'suspend it',
        act: (stage) => stage.patchJob({ spec: { suspend: true } }),
        until: (s) => has('Suspended')(s) && s.pods.length === 1,
      },
      {
        does: 'resume it',
        act: (stage) => stage.patchJob({ spec: { suspend: false } }),
        until: (s) => s.job?.ready === 1,
      },
      finished(1, 0, has('Complete'), 1),
    ],
  },
  deletion('delete-background', 'Background: the Job goes at once, its pods after it.', 'Background'),
  deletion('delete-foreground', 'Foreground: the pods go first, the Job waits under a finalizer.', 'Foreground'),
  deletion('delete-orphan', 'Orphan: the pods stay, without their owner.', 'Orphan'),
  deletion('delete-without-policy', 'batch/v1 without a policy orphans: every delete of the operator names one.'),
  {
    name: 'pod-deleted',
    about: 'A running pod deleted by hand ends by SIGTERM, counts as a failure, and its index fails without retries.',
    job: pair,
    steps: [
      created(pair, 2),
      {
        does: 'delete the pod of index 0',
        act: (stage) => stage.deletePod(0),
        until: (s) => s.job?.failedIndexes === '0' && s.pods.length === 1,
      },
      finished(1, 0, has('Failed')),
    ],
  },
  {
    name: 'pod-terminating',
    about: 'With a pod failure policy a pod under deletion is replaced only once it has ended.',
    job: replacedOnceFailed,
    steps: [
      { does: 'pods ignore SIGTERM', act: (stage) => stage.stubborn(), until: () => true },
      created(replacedOnceFailed, 1),
      {
        does: 'delete the pod of index 0',
        act: (stage) => stage.deletePod(0),
        until: (s) => s.job?.failed === 1 && s.job.ready === 1,
      },
      finished(0, 0, has('Complete'), 1),
    ],
  },
  {
    name: 'ttl-after-finished',
    about: 'A finished Job with ttlSecondsAfterFinished goes with its pods.',
    job: withTtl,
    steps: [created(withTtl, 1), finished(0, 0, (s) => s.job === null && s.pods.length === 0)],
  },
  {
    name: 'ttl-set-after-end',
    about: 'ttlSecondsAfterFinished may be set on a finished Job, which is how the operator cleans up.',
    job: pair,
    steps: [
      created(pair, 2),
      finished(0, 0, (s) => s.job?.succeeded === 1),
      finished(1, 0, has('Complete')),
      {
        does: 'set ttlSecondsAfterFinished to 0',
        act: (stage) => stage.patchJob({ spec: { ttlSecondsAfterFinished: 0 } }),
        until: (s) => s.job === null && s.pods.length === 0,
      },
    ],
  },
  {
    name: 'parallelism-changed',
    about: 'Parallelism raised starts more indexes, lowered deletes running pods without counting them as failed.',
    job: wide,
    steps: [
      created(wide, 1),
      {
        does: 'raise parallelism to 3',
        act: (stage) => stage.patchJob({ spec: { parallelism: 3 } }),
        until: (s) => s.job?.ready === 3,
      },
      {
        does: 'lower parallelism to 0',
        act: (stage) => stage.patchJob({ spec: { parallelism: 0 } }),
        until: (s) => s.pods.length === 0 && !s.job?.active,
      },
    ],
  },
  {
    name: 'unschedulable',
    about: 'A pod that asks for more than any node has stays Pending with PodScheduled=False and counts as active.',
    job: greedy,
    steps: [
      {
        does: 'create the Job',
        act: (stage) => stage.create(greedy),
        until: (s) => count(s, 'Pending') === 1 && s.pods[0]?.conditions !== undefined && s.job?.active === 1,
      },
    ],
  },
];
