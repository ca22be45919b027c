/** Long work that people start and follow. Features declare its kinds; see job-kind.ts. */
import type { Deps, Feature } from '../feature.ts';
import { answerList } from '../http/answer-list.ts';
import { createListener } from '../live/listener.ts';
import type { JobKind } from './job-kind.ts';
import { cancelJob, listJobs, readJob } from './read-jobs.ts';
import { createJobRunner } from './run-jobs.ts';
import { JOBS_CHANNEL } from './start-job.ts';

export function createJobs(deps: Deps, kinds: () => readonly JobKind[]): Feature {
  const { db, backgroundDb, config, log, now } = deps;
  const running: Promise<unknown>[] = [];
  return {
    name: 'jobs',
    routes: {
      listJobs: { role: 'group-member', handle: ({ group, query }) => listJobs(db, group.id, query) },
      getJob: { role: 'group-member', handle: ({ group, params }) => readJob(db, group.id, params.id) },
      cancelJob: { role: 'group-member', handle: ({ group, params }) => cancelJob(db, group.id, params.id, now()) },
      listAllJobs: {
        role: 'staff',
        handle: ({ res, query }) => answerList(db, res, query, (from, asked) => listJobs(from, undefined, asked)),
      },
      getAnyJob: { role: 'staff', handle: ({ params }) => readJob(db, undefined, params.id) },
      cancelAnyJob: { role: 'staff', handle: ({ params }) => cancelJob(db, undefined, params.id, now()) },
    },
    start: async (signal) => {
      const runner = createJobRunner({ db: backgroundDb, log, now, kinds });
      const listener = createListener(config.databaseUrl, log);
      listener.on(JOBS_CHANNEL, runner.wake);
      running.push(listener.run(signal), runner.run(signal));
    },
    stop: async () => {
      await Promise.allSettled(running);
    },
  };
}
