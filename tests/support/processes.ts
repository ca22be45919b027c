/** Finds the processes of one product by its data folder in their command line or environment. */
import { readdirSync, readFileSync } from 'node:fs';

export type ProcessKind = 'supervisor' | 'control plane' | 'operator' | 'api' | 'postgres' | 'step program' | 'tool';

export interface OwnProcess {
  pid: number;
  kind: ProcessKind;
  command: string;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended, or we may not read it
  }
}

function kindOf(command: string): ProcessKind {
  if (/scripts\/serve\.ts/.test(command)) return 'supervisor';
  if (/operator\/src\/local\/main\.ts/.test(command)) return 'control plane';
  if (/operator\/src\/main\.ts/.test(command)) return 'operator';
  if (/api\/src\/main\.ts/.test(command)) return 'api';
  if (/postgres/.test(command)) return 'postgres';
  if (/pipeline-images\/src\/main\.ts/.test(command)) return 'step program';
  return 'tool';
}

/** Skips zombies, which only wait for their parent. */
export function processesOf(dataDir: string): OwnProcess[] {
  const found: OwnProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const command = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim();
    if (command === '' || / [ZX] /.test(read(`/proc/${name}/stat`).replace(/\(.*\)/, ''))) continue;
    if (!command.includes(dataDir) && !read(`/proc/${name}/environ`).includes(dataDir)) continue;
    found.push({ pid: Number(name), kind: kindOf(command), command });
  }
  return found;
}

/** Returns the memory of the processes in MB, with each shared page divided among its processes (PSS). */
export function memoryMb(processes: readonly OwnProcess[]): number {
  const kilobytes = processes.map((one) =>
    Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${one.pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return Math.round(kilobytes.reduce((sum, value) => sum + value, 0) / 1024);
}
