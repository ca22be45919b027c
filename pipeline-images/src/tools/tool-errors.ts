/** Errors of the programs that a step runs. */

/** A program of a pipe failed. Carries the last line that it printed. */
export class ToolFailed extends Error {
  readonly tool: string;
  readonly exit: number;
  readonly stderr: string;
  constructor(tool: string, exit: number, stderr: string) {
    const last = stderr.trim().split('\n').at(-1) ?? '';
    super(`${tool} failed with exit code ${exit}${last ? `: ${last}` : ''}`);
    this.name = 'ToolFailed';
    this.tool = tool;
    this.exit = exit;
    this.stderr = stderr;
  }
}

/** SIGTERM stopped the step. The exit code is 143, never 2, because the input is not at fault. */
export class Terminated extends Error {
  constructor() {
    super('stopped by SIGTERM');
    this.name = 'Terminated';
  }
}

/** The storage is full. The step is retried because somebody may free space. */
export class DiskFull extends Error {
  constructor(cause?: unknown) {
    super('no space left on the storage', { cause });
    this.name = 'DiskFull';
  }
}
