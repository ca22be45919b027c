import { readFileSync } from 'node:fs';

/** Processor time of a process so far, ms, in steps of 10. 0 for a process that has ended. */
export function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}
