/** A child process of the supervisor: started, watched, restarted with back-off, stopped. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { StartError } from './checks.ts';

export interface ChildSpec {
  name: string;
  command: string[];
  env?: Record<string, string>;
  /** Log file. When it exceeds 20 MB, it is kept as FILE.1. */
  logFile: string;
  /** Polled until it returns true. */
  isReady(): boolean | Promise<boolean>;
  /** Runs before every start. */
  prepare?(): void;
  /** Signal that the kernel sends when the supervisor dies. */
  deathSignal?: 'KILL' | 'QUIT';
  stopSignal?: NodeJS.Signals;
  /** Time limit for stopping. */
  stopMs?: number;
}

export const START_CANCELLED = 'The start was cancelled.';
const LOG_MAX_BYTES = 20e6;
const READY_POLL_MS = 25;
const BACKOFF_MS = 200;
const BACKOFF_MAX_MS = 10_000;
/** After running this long, the back-off starts again from the shortest. */
const STEADY_MS = 30_000;
/** Number of retries when it ends before it was ever ready. */
const FIRST_TRIES = 3;

export class Child {
  readonly spec: ChildSpec;
  readonly #say: (line: string) => void;
  readonly #stopping = new AbortController();
  #process: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #failures = 0;
  #wasReady = false;
  #gaveUp: ((error: Error) => void) | undefined;

  constructor(spec: ChildSpec, say: (line: string) => void) {
    this.spec = spec;
    this.#say = say;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts the process and resolves when it is ready. Throws StartError when it repeatedly ends before that. */
  async start(): Promise<void> {
    const gaveUp = new Promise<never>((_, failed) => {
      this.#gaveUp = failed;
    });
    this.#launch();
    await Promise.race([this.#ready(), gaveUp]);
    this.#wasReady = true;
  }

  async #ready(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#process?.exitCode === null && (await this.spec.isReady())) return;
      await new Promise((done) => setTimeout(done, READY_POLL_MS));
    }
    throw new StartError(START_CANCELLED);
  }

  #launch(): void {
    const { command, env, logFile, deathSignal = 'KILL', name } = this.spec;
    this.spec.prepare?.();
    if (existsSync(logFile) && statSync(logFile).size > LOG_MAX_BYTES) renameSync(logFile, `${logFile}.1`);
    const log = openSync(logFile, 'a');
    const started = Date.now();
    // Runs in its own session, so that Ctrl-C reaches only the supervisor, which stops everything in order.
    const child = spawn('setpriv', ['--pdeathsig', deathSignal, ...command], {
      stdio: ['pipe', log, log],
      env: { ...process.env, SEQPANEL_PARENT: 'stdin', ...env },
      detached: true,
    });
    closeSync(log);
    child.stdin?.on('error', () => undefined);
    this.#process = child;
    this.#exited = new Promise((done) => {
      child.on('error', (error) => {
        this.#say(`${name} cannot be started: ${error.message}`);
        done();
      });
      child.on('exit', (code, signal) => {
        done();
        if (!this.#stopping.signal.aborted) this.#again(signal ?? `exit ${code}`, Date.now() - started);
      });
    });
  }

  #again(how: string, ranMs: number): void {
    this.#failures = ranMs > STEADY_MS ? 1 : this.#failures + 1;
    const last = lastLine(this.spec.logFile);
    if (!this.#wasReady && this.#failures >= FIRST_TRIES) {
      this.#gaveUp?.(
        new StartError(`${this.spec.name} does not start (${how}): ${last} Its log is ${this.spec.logFile}.`),
      );
      return;
    }
    const delay = Math.min(BACKOFF_MS * 2 ** (this.#failures - 1), BACKOFF_MAX_MS);
    this.#say(`${this.spec.name} stopped (${how}) and restarts in ${delay / 1000} s. Its log is ${this.spec.logFile}.`);
    const timer = setTimeout(() => {
      if (!this.#stopping.signal.aborted) this.#launch();
    }, delay);
    this.#stopping.signal.addEventListener('abort', () => clearTimeout(timer));
  }

  /** Sends the stop signal, then SIGKILL. Resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(this.spec.stopSignal ?? 'SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), this.spec.stopMs ?? 5000);
    await this.#exited;
    clearTimeout(kill);
  }
}

/** Returns the most useful of the last log lines, because the error of a crash is above its stack. */
function lastLine(file: string): string {
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-60);
    const output =
      lines.findLast((line) => /error|fatal|cannot/i.test(line) && !/^\s+at /.test(line)) ?? lines.at(-1) ?? '';
    return output.trim().slice(0, 300);
  } catch {
    return '';
  }
}
