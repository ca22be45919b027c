/** Jobs that complete. */
import { created, finished, has, type JobCase } from './job-case.ts';
import { gatedJob } from './job-stage.ts';

const three = gatedJob({ completions: 3, parallelism: 3, backoffLimitPerIndex: 0 });
const narrow = gatedJob({ completions: 4, parallelism: 2, backoffLimitPerIndex: 0 });
const eight = gatedJob({ completions: 8, parallelism: 8, backoffLimitPerIndex: 0 });
const retried = gatedJob({ backoffLimitPerIndex: 1 });
const plain = gatedJob({ completionMode: 'NonIndexed', backoffLimit: 0 });

export const SUCCESS_CASES: JobCase[] = [
  {
    name: 'indexed-success',
    about: 'All indexes succeed, out of order; SuccessCriteriaMet stands before Complete.',
    job: three,
    steps: [
      created(three, 3),
      finished(0, 0, (s) => s.job?.succeeded === 1),
      finished(2, 0, (s) => s.job?.succeeded === 2),
      finished(1, 0, has('Complete')),
    ],
  },
  {
    name: 'parallelism-below-completions',
    about: 'The lowest index not yet started is next when a place is free.',
    job: narrow,
    steps: [
      created(narrow, 2),
      finished(1, 0, (s) => s.job?.succeeded === 1 && s.job.ready === 2),
      finished(0, 0, (s) => s.job?.succeeded === 2 && s.job.ready === 2),
      finished(3, 0, (s) => s.job?.succeeded === 3),
      finished(2, 0, has('Complete')),
    ],
  },
  {
    name: 'completed-ranges',
    about: 'completedIndexes joins neighbours into ranges.',
    job: eight,
    steps: [
      created(eight, 8),
      {
        does: 'the pods of indexes 0, 1, 2, 4, 6 and 7 exit 0',
        act: (stage) => Promise.all([0, 1, 2, 4, 6, 7].map((index) => stage.finish(index))),
        until: (s) => s.job?.succeeded === 6,
      },
      finished(5, 0, (s) => s.job?.succeeded === 7),
      finished(3, 0, has('Complete')),
    ],
  },
  {
    name: 'retry-succeeds',
    about: 'A failed index is tried again after its back-off (10 s); only then is the failed pod counted.',
    job: retried,
    steps: [
      created(retried, 2),
      finished(0, 0, (s) => s.job?.succeeded === 1),
      finished(1, 1, (s) => s.job?.failed === 1 && s.job.ready === 1),
      finished(1, 0, has('Complete'), 1),
    ],
  },
  {
    name: 'plain-success',
    about: 'A Job that is not Indexed, of one pod.',
    job: plain,
    steps: [created(plain, 1), finished(0, 0, has('Complete'))],
  },
];
