/** Why a pod or an index ended, from its termination message where it left one. */

import { EXIT_ABORTED, EXIT_KILLED, type TerminationMessage } from '@seqpanel/crds/step-contract.ts';
import type { PodFacts } from './facts.ts';

export interface Cause {
  /** Snake case, stable. */
  code: string;
  /** At most 256 characters. */
  message: string;
  /** The last lines of its output, at most 2 KiB. */
  logTail?: string;
}

const MESSAGE_MAX = 256;
const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const cut = (text: string): string => (text.length > MESSAGE_MAX ? `${text.slice(0, MESSAGE_MAX - 1)}…` : text);

/** Parses the JSON that a step leaves; returns undefined for anything else, such as log lines. */
export function parseTermination(text: string): TerminationMessage | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const message = JSON.parse(text) as TerminationMessage;
    return typeof message.outcome === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Sorts pods newest first. Pods created within one second are ordered by their end, then by name. */
export const newestFirst = (pods: readonly PodFacts[]): PodFacts[] =>
  [...pods].sort(
    (a, b) =>
      b.created.localeCompare(a.created) ||
      (b.ended?.at ?? '').localeCompare(a.ended?.at ?? '') ||
      b.name.localeCompare(a.name),
  );

/** V8's last message, and the stack frame that remains when the first line is truncated. */
const HEAP_IS_FULL = /heap out of memory|OOMErrorHandler/;
/** 128 + SIGABRT; as the first process of a container, which that signal does not end, 128 + SIGSEGV. */
const ABORTS: readonly number[] = [EXIT_ABORTED, 139];

/** Reports whether the kernel killed the step for its memory use, or the step aborted because its heap was full. */
export function isOutOfMemory({ ended, log = '' }: PodFacts): boolean {
  if (!ended) return false;
  if (ended.reason === 'OOMKilled' || parseTermination(ended.message)?.code === 'out_of_memory') return true;
  return ABORTS.includes(ended.exitCode) && HEAP_IS_FULL.test(`${ended.message}\n${log}`);
}

/** Reports whether the program was killed or aborted without a reason; the Job controller does not restart it. */
export const isKilled = (pod: PodFacts): boolean =>
  pod.ended !== undefined &&
  [EXIT_ABORTED, EXIT_KILLED].includes(pod.ended.exitCode) &&
  pod.reason !== 'DeadlineExceeded' &&
  !isOutOfMemory(pod);

/** Most bytes of a log that a status holds. */
const LOG_MAX_BYTES = 2048;

/** Returns the end of a log, in whole lines where possible, without control characters, which terminals would execute. */
export function logTail(log: string): string {
  const text = log
    .replace(/\x1b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '')
    .trimEnd();
  const bytes = Buffer.from(text);
  if (bytes.length <= LOG_MAX_BYTES) return text;
  const end = bytes.subarray(bytes.length - LOG_MAX_BYTES);
  const line = end.indexOf(10);
  // Truncation inside a character leaves its continuation bytes, which start with the bits 10.
  const from = line >= 0 && line < end.length - 1 ? line + 1 : end.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return end.subarray(from).toString();
}

/** Returns why a failed pod failed, with the end of its log if known. */
export function causeOf(pod: PodFacts | undefined): Cause {
  const cause = plainCause(pod);
  // Without a termination message from the program, the kubelet stores the end of the log.
  const fallback = pod?.ended && !parseTermination(pod.ended.message) ? pod.ended.message : '';
  const tail = logTail(pod?.log || fallback);
  return tail ? { ...cause, logTail: tail } : cause;
}

function plainCause(pod: PodFacts | undefined): Cause {
  if (!pod) return { code: 'step_failed', message: 'the pod no longer exists; see the log of the step' };
  if (isOutOfMemory(pod)) return { code: 'out_of_memory', message: 'the step exceeded its memory limit' };
  if (pod.reason === 'DeadlineExceeded') return { code: 'step_timeout', message: 'the step exceeded its time limit' };
  const termination = pod.ended && parseTermination(pod.ended.message);
  if (termination) {
    const code = termination.code && CODE.test(termination.code) ? termination.code : termination.outcome;
    return { code, message: cut(termination.message ?? `the step ended with exit code ${pod.ended?.exitCode}`) };
  }
  if (!pod.ended) return { code: 'step_failed', message: cut(pod.reason ?? 'the pod ended without starting the step') };
  const last = pod.ended.message.trimEnd().split('\n').at(-1) ?? '';
  const text = `exit code ${pod.ended.exitCode}${last ? `: ${last}` : ''}`;
  return { code: 'step_failed', message: cut(text) };
}
