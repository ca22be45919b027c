import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { DiskFull, Terminated, ToolFailed } from './tool-errors.ts';
import { toolVersions } from './versions.ts';

/** A program of a pipeline. `stdin` and `stdout` are files, relative to the working directory. */
export interface Command {
  tool: string;
  args: readonly string[];
  /** Only for the first program. */
  stdin?: string;
  /** Only for the last program. */
  stdout?: string;
  /** Exit codes besides 0 that count as success, such as 1 of `grep`. */
  accepted?: readonly number[];
}

/** A running pipeline. `done` settles when all programs have ended and must be awaited. */
export interface Running {
  stdin: Writable | null;
  stdout: Readable | null;
  done: Promise<void>;
}

export interface UsedTool {
  name: string;
  version: string;
  command?: string;
}

/** Runs programs, records their versions and command lines, and stops them when the step is stopped. */
export interface Tools {
  /** Runs `a | b | c` in one process group. Fails when any program fails (pipefail). */
  run(...commands: Command[]): Promise<void>;
  /** Like `run`, and returns the output of the last program. */
  capture(...commands: Command[]): Promise<Buffer>;
  /** Like `capture`, with `input` as standard input of the first program. */
  feed(input: string, ...commands: Command[]): Promise<Buffer>;
  /** Starts a pipeline whose standard input or output the caller handles. */
  start(commands: readonly Command[], ends: { stdin?: boolean; stdout?: boolean }): Running;
  /** Records a command that is already running for an earlier sample of the pod. */
  note(command: Command): void;
  versions(names: readonly string[]): Promise<Record<string, string>>;
  /** Returns each command line once, with paths relative to the storage root or the output folder. */
  used(): Promise<UsedTool[]>;
}

const quote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const NO_SPACE = /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/;
/** Exit code after SIGPIPE. The reader ended first, so its error explains more. */
const SIGPIPE_EXIT = 141;
const STDERR_KEPT = 16_384;
/** First file descriptor that carries a program's stderr. Descriptor 3 carries the exit codes. */
const FIRST_STDERR = 4;

export interface ToolsOptions {
  cwd: string;
  log: {
    /** Logs a line printed by a program. */
    tool(from: string, line: string): void;
  };
  signal: AbortSignal;
  /** Prefixes to remove from command lines and tool output. A longer prefix comes before the shorter one that it starts with. */
  hide: readonly string[];
}

export function createTools({ cwd, log, signal, hide }: ToolsOptions): Tools {
  const lines = new Map<string, string>();
  const names = new Set<string>();

  const hidden = (text: string): string => {
    let line = text;
    for (const prefix of hide) line = line.replaceAll(`${prefix}/`, '').replaceAll(prefix, '.');
    return line;
  };

  const record = ({ tool, args, stdin, stdout }: Command): void => {
    let line = [tool, ...args].map(quote).join(' ');
    if (stdin) line += ` < ${quote(stdin)}`;
    if (stdout) line += ` > ${quote(stdout)}`;
    names.add(tool);
    lines.set(hidden(line), tool);
  };

  const start: Tools['start'] = (commands, ends) => {
    if (signal.aborted) throw new Terminated();
    for (const command of commands) record(command);
    const [only] = commands;
    const alone = commands.length === 1 ? only : undefined;
    const script = `${commands
      .map(({ tool, args, stdin, stdout }, i) => {
        const redirect = `${stdin ? ` < ${quote(stdin)}` : ''}${stdout ? ` > ${quote(stdout)}` : ''}`;
        // Close the other descriptors in each program, otherwise the pipe never reports its end.
        return `${[tool, ...args].map(quote).join(' ')}${redirect} 2>&${FIRST_STDERR + i} 3>&-`;
      })
      .join(' | ')}; printf '%s ' "\${PIPESTATUS[@]}" >&3`;
    const opened: number[] = [];
    const file = (path: string | undefined, flags: string): number | undefined => {
      if (path === undefined) return undefined;
      const fd = openSync(path.startsWith('/') ? path : `${cwd}/${path}`, flags);
      opened.push(fd);
      return fd;
    };
    const child = spawn(alone ? alone.tool : 'bash', alone ? [...alone.args] : ['-c', script], {
      cwd,
      // A process group allows stopping all programs of the pipe at once.
      detached: true,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: alone
        ? [
            file(alone.stdin, 'r') ?? (ends.stdin ? 'pipe' : 'ignore'),
            file(alone.stdout, 'w') ?? (ends.stdout ? 'pipe' : 'ignore'),
            'pipe',
          ]
        : [
            ends.stdin ? 'pipe' : 'ignore',
            ends.stdout ? 'pipe' : 'ignore',
            'pipe',
            'pipe',
            ...commands.map(() => 'pipe' as const),
          ],
    });
    for (const fd of opened) closeSync(fd);
    const stop = (): void => kill(child, 'SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    const done = watch(child, commands).finally(() => signal.removeEventListener('abort', stop));
    done.catch(() => kill(child, 'SIGKILL'));
    return { stdin: child.stdin, stdout: child.stdout, done };
  };

  const watch = async (child: ChildProcess, commands: readonly Command[]): Promise<void> => {
    let status = '';
    const stderr = commands.map(() => '');
    (child.stdio[3] as Readable | undefined)?.setEncoding('utf8').on('data', (text: string) => {
      status += text;
    });
    const collectStderr = (stream: Readable, tool: string, i: number): void => {
      let rest = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        stderr[i] = (stderr[i] + text).slice(-STDERR_KEPT);
        const whole = (rest + text).split(/[\n\r]+/);
        rest = whole.pop() ?? '';
        for (const line of whole) if (line !== '') log.tool(tool, hidden(line));
      });
      stream.on('end', () => {
        if (rest !== '') log.tool(tool, hidden(rest));
      });
    };
    const alone = commands.length === 1;
    commands.forEach(({ tool }, i) => {
      collectStderr(child.stdio[alone ? 2 : FIRST_STDERR + i] as Readable, tool, i);
    });
    if (!alone) collectStderr(child.stderr as Readable, 'bash', 0);
    const exit = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, by) => resolve(code ?? (by === 'SIGKILL' ? 137 : 143)));
    });
    if (signal.aborted) throw new Terminated();
    const codes = status.trim() === '' ? [] : status.trim().split(' ').map(Number);
    const failures = commands
      .map((command, i) => ({ command, exit: codes[i] ?? exit, stderr: stderr[i] ?? '' }))
      .filter(({ command, exit: code }) => code !== 0 && !command.accepted?.includes(code));
    if (failures.length === 0) return;
    if (failures.some(({ stderr }) => NO_SPACE.test(stderr))) throw new DiskFull();
    const first = failures.find((failure) => failure.exit !== SIGPIPE_EXIT) ?? failures[0]!;
    throw new ToolFailed(first.command.tool, first.exit, first.stderr);
  };

  return {
    start,
    run: (...commands) => start(commands, {}).done,
    capture: (...commands) => collect(start(commands, { stdout: true })),
    feed(input, ...commands) {
      const running = start(commands, { stdin: true, stdout: true });
      // Ignore: the exit code of the program explains why it stopped reading.
      running.stdin?.on('error', () => undefined);
      running.stdin?.end(input);
      return collect(running);
    },
    note: record,
    versions: toolVersions,
    async used() {
      const versions = await toolVersions([...names]);
      return [...lines].map(([command, name]) => ({ name, version: versions[name] ?? '', command }));
    },
  };
}

async function collect({ stdout, done }: Running): Promise<Buffer> {
  const chunks: Buffer[] = [];
  stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  await done;
  return Buffer.concat(chunks);
}

function kill(child: ChildProcess, by: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, by);
  } catch {
    // The process group has already ended.
  }
}
