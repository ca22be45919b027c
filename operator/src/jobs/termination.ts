/** Why a pod or an index ended, in the words of its termination message where it left one. */

import { EXIT_ABORTED, EXIT_KILLED, type TerminationMessage } from '@seqpanel/crds/step-contract.ts';
import type { PodFacts } from './facts.ts';

export interface Cause {
  /** Snake case, stable. */
  code: string;
  /** At most 256 characters. */
  message: string;
  /** The last lines that the program wrote; at most 2 KiB. */
  logTail?: string;
}

const MESSAGE_MAX = 256;
const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const cut = (text: string): string => (text.length > MESSAGE_MAX ? `${text.slice(0, MESSAGE_MAX - 1)}…` : text);

/** The JSON a step leaves; undefined for anything else, as the tail of a log. */
export function parseTermination(text: string): TerminationMessage | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const message = JSON.parse(text) as TerminationMessage;
    return typeof message.outcome === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The pods of one index, newest first. Pods made within one second are ordered by their end, then by name. */
export const newestFirst = (pods: readonly PodFacts[]): PodFacts[] =>
  [...pods].sort(
    (a, b) =>
      b.created.localeCompare(a.created) ||
      (b.ended?.at ?? '').localeCompare(a.ended?.at ?? '') ||
      b.name.localeCompare(a.name),
  );

/** V8's last words, and the frame of the stack below them that is left where the first line was cut off. */
const HEAP_IS_FULL = /heap out of memory|OOMErrorHandler/;
/** 128 + SIGABRT; as the first process of a container, which that signal does not end, 128 + SIGSEGV. */
const ABORTS: readonly number[] = [EXIT_ABORTED, 139];

/** Reports whether the kernel ended the step for the memory it used, or the step ended itself because its heap was full. */
export function isOutOfMemory({ ended, log = '' }: PodFacts): boolean {
  if (!ended) return false;
  if (ended.reason === 'OOMKilled' || parseTermination(ended.message)?.code === 'out_of_memory') return true;
  return ABORTS.includes(ended.exitCode) && HEAP_IS_FULL.test(`${ended.message}\n${log}`);
}

/** Reports whether the program was killed or aborted without saying why; the Job controller does not start it again. */
export const isKilled = (pod: PodFacts): boolean =>
  pod.ended !== undefined &&
  [EXIT_ABORTED, EXIT_KILLED].includes(pod.ended.exitCode) &&
  pod.reason !== 'DeadlineExceeded' &&
  !isOutOfMemory(pod);

/** Most bytes of a log that a status keeps. */
const LOG_MAX_BYTES = 2048;

/** The end of a log, whole lines where possible, without control characters, which terminals would obey. */
export function logTail(log: string): string {
  const text = log
    .replace(/\x1b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '')
    .trimEnd();
  const bytes = Buffer.from(text);
  if (bytes.length <= LOG_MAX_BYTES) return text;
  const end = bytes.subarray(bytes.length - LOG_MAX_BYTES);
  const line = end.indexOf(10);
  // A cut through a character leaves its last bytes, which begin with the bits 10.
  const from = line >= 0 && line < end.length - 1 ? line + 1 : end.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return end.subarray(from).toString();
}

/** Why a failed pod failed, with the end of its log where that is known. */
export function causeOf(pod: PodFacts | undefined): Cause {
  const cause = plainCause(pod);
  // Without a termination message of the program's own, the kubelet puts the log's end there.
  const fallback = pod?.ended && !parseTermination(pod.ended.message) ? pod.ended.message : '';
  const tail = logTail(pod?.log || fallback);
  return tail ? { ...cause, logTail: tail } : cause;
}

function plainCause(pod: PodFacts | undefined): Cause {
  if (!pod) return { code: 'step_failed', message: 'its pod is gone; see the log of the step' };
  if (isOutOfMemory(pod)) return { code: 'out_of_memory', message: 'the step needed more memory than it may use' };
  if (pod.reason === 'DeadlineExceeded') return { code: 'step_timeout', message: 'the step took longer than it may' };
  const said = pod.ended && parseTermination(pod.ended.message);
  if (said) {
    const code = said.code && CODE.test(said.code) ? said.code : said.outcome;
    return { code, message: cut(said.message ?? `the step ended with exit code ${pod.ended?.exitCode}`) };
  }
  if (!pod.ended) return { code: 'step_failed', message: cut(pod.reason ?? 'the pod ended without starting the step') };
  const last = pod.ended.message.trimEnd().split('\n').at(-1) ?? '';
  const text = `exit code ${pod.ended.exitCode}${last ? `: ${last}` : ''}`;
  return { code: 'step_failed', message: cut(text) };
}
