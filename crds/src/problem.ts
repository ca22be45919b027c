/** A problem in a file, with its place. */
export interface Problem {
  /** Path in the document: `amplicons[3].insert.start`, `[baseline] line 12`. '' for the whole file. */
  path: string;
  message: string;
}

/** Returns `path: message` as one line of a report, or the message alone. */
export function formatProblem(problem: Problem): string {
  return problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`;
}
