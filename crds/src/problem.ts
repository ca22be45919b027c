/** One thing that is wrong with a file, named so that its author finds it. */
export interface Problem {
  /** Where, as a path inside the document: `amplicons[3].insert.start`, `[baseline] line 12`; '' for the whole file. */
  path: string;
  message: string;
}

/** `path: message`, as one line of a report; the path is left out when there is none. */
export function formatProblem(problem: Problem): string {
  return problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`;
}
