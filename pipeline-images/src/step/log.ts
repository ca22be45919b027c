import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Lines to stdout and to the task's log file, each with its time. */
export interface Log {
  info(message: string): void;
  /** A line that a tool printed; `from` is the tool's name. */
  tool(from: string, line: string): void;
}

/** `file` may be undefined (checks have no task folder). A log that cannot be written never ends a step. */
export function createLog(file: string | undefined, now: () => Date, write: (text: string) => void): Log {
  if (file !== undefined) {
    try {
      mkdirSync(dirname(file), { recursive: true });
    } catch (error) {
      write(`the log file cannot be made: ${(error as Error).message}\n`);
    }
  }
  const put = (text: string): void => {
    const line = `${now().toISOString()} ${text}\n`;
    write(line);
    if (file === undefined) return;
    try {
      appendFileSync(file, line);
    } catch {
      // A full disk shows in the outputs; the line has gone to stdout.
    }
  };
  return { info: put, tool: (from, line) => put(`${from}: ${line}`) };
}
