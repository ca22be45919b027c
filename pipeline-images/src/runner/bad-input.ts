/** An error in a user's file, with its place. Ends the step with exit code 2, which is never retried. */
export class BadInput extends Error {
  readonly code: string;
  readonly file: string;
  readonly line: number | undefined;

  /** `line` is 1-based. Leave it undefined where a file has no lines (a BAM, a truncated gzip file). */
  constructor(file: string, line: number | undefined, what: string, code = 'bad_input') {
    super(line === undefined ? `${file}: ${what}` : `${file}, line ${line}: ${what}`);
    this.name = 'BadInput';
    this.code = code;
    this.file = file;
    this.line = line;
  }
}
