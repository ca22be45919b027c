import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes lines with timestamps to stdout and to the task's log file. */
export interface Log {
  info(message: string): void;
  /** Logs a line printed by the tool `from`. */
  tool(from: string, line: string): void;
}

/** Creates a log. Without `file` (checks have no task folder) it writes to stdout only. Write errors never fail a step. */
export function createLog(file: string | undefined, now: () => Date, write: (text: string) => void): Log {
  if (file !== undefined) {
    try {
      mkdirSync(dirname(file), { recursive: true });
    } catch (error) {
      write(`log file not created: ${(error as Error).message}\n`);
    }
  }
  const put = (text: string): void => {
    const line = `${now().toISOString()} ${text}\n`;
    write(line);
    if (file === undefined) return;
    try {
      appendFileSync(file, line);
    } catch {
      // Ignore: the line is already on stdout, and writing the outputs reports a full disk.
    }
  };
  return { info: put, tool: (from, line) => put(`${from}: ${line}`) };
}
