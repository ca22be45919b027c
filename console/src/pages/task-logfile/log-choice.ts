import type { LogFile, TaskDetail } from '../../queries/tasks.ts';

/** Returns the log to open: the one in the address, else that of the first failure, else the newest. */
export function startingLog(
  logs: readonly LogFile[],
  params: URLSearchParams,
  failures: TaskDetail['failures'],
): string | undefined {
  const asked = params.get('log');
  if (asked && logs.some((log) => log.name === asked)) return asked;
  const sample = params.get('sample');
  const failure = failures.find(
    (candidate) => (sample === null || candidate.sample === sample) && logs.some((log) => log.name === candidate.log),
  );
  if (failure?.log) return failure.log;
  const ofSample = sample === null ? logs : logs.filter((log) => log.sample === sample);
  return (ofSample.length > 0 ? ofSample : logs).toSorted((a, b) => b.modified.localeCompare(a.modified))[0]?.name;
}

/** Returns the index of the first line that reports an error; undefined when none does. */
export function firstErrorLine(lines: readonly string[]): number | undefined {
  const index = lines.findIndex((line) => /\b(error|failed|fatal|exception|bad input)\b/i.test(line));
  return index === -1 ? undefined : index;
}
