/** Where and what is wrong with something a person gave us. Ends the step with exit 2; it is never retried. */
export class BadInput extends Error {
  readonly code: string;
  readonly file: string;
  readonly line: number | undefined;

  /** `line` is 1-based; leave it undefined where a file has no lines (a BAM, a cut gzip). */
  constructor(file: string, line: number | undefined, what: string, code = 'bad_input') {
    super(line === undefined ? `${file}: ${what}` : `${file}, line ${line}: ${what}`);
    this.name = 'BadInput';
    this.code = code;
    this.file = file;
    this.line = line;
  }
}

/** The step was told to stop; what was running is not to blame and the exit code is never 2. */
export class Terminated extends Error {
  constructor() {
    super('stopped by SIGTERM');
    this.name = 'Terminated';
  }
}

/** No space left where the step writes. Retried: a person may make room. */
export class DiskFull extends Error {
  constructor(cause?: unknown) {
    super('no space left on the storage', { cause });
    this.name = 'DiskFull';
  }
}
