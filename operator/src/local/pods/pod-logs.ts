/** GET …/pods/NAME/log: the pod's log file, from the start or its tail, followed until the pod ends. */

import { closeSync, fstatSync, openSync, readFileSync, readSync, watch } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { TERMINATION_MESSAGE_MAX_BYTES } from '@seqpanel/crds/step-contract.ts';
import { badRequest } from '../objects/status.ts';

const CHUNK = 64 * 1024;
/** FallbackToLogsOnError of the kubelet uses the last 80 lines or 2 KiB. */
const FALLBACK_LINES = 80;
const FALLBACK_BYTES = 2048;

export interface LogOptions {
  file: string;
  params: URLSearchParams;
  /** Resolves when the pod stops writing; undefined when it has ended. */
  ended: Promise<unknown> | undefined;
}

/** Returns the offset of the last `lines` lines. */
export function tailOffset(fd: number, size: number, lines: number): number {
  const buffer = Buffer.alloc(CHUNK);
  let seen = 0;
  for (let end = size; end > 0; end -= CHUNK) {
    const from = Math.max(0, end - CHUNK);
    const read = readSync(fd, buffer, 0, end - from, from);
    for (let i = read - 1; i >= 0; i--) {
      if (buffer[i] !== 10 || from + i === size - 1) continue;
      if (++seen === lines) return from + i + 1;
    }
  }
  return 0;
}

/** Streams the log; throws 400 for an invalid number. */
export function sendLog(response: ServerResponse, { file, params, ended }: LogOptions): void {
  const number = (name: string): number | undefined => {
    const text = params.get(name);
    if (text !== null && !/^\d+$/.test(text)) throw badRequest(`${name}: must be a non-negative integer`);
    return text === null ? undefined : Number(text);
  };
  const tail = number('tailLines');
  let left = number('limitBytes') ?? Number.POSITIVE_INFINITY;
  const follow = params.get('follow') === 'true' && ended !== undefined;
  const fd = openSync(file, 'a+');
  const { size } = fstatSync(fd);
  let position = tail === undefined ? 0 : tail === 0 ? size : tailOffset(fd, size, tail);
  let last = !follow;
  let busy = false;
  let closed = false;
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.flushHeaders();

  const pump = (): void => {
    if (busy || closed) return;
    const buffer = Buffer.allocUnsafe(CHUNK);
    while (left > 0) {
      const read = readSync(fd, buffer, 0, Math.min(CHUNK, left), position);
      if (read === 0) break;
      position += read;
      left -= read;
      if (!response.write(Buffer.from(buffer.subarray(0, read)))) {
        busy = true;
        response.once('drain', () => {
          busy = false;
          pump();
        });
        return;
      }
    }
    if (last || left <= 0) response.end();
  };
  const watcher = follow ? watch(file, pump) : undefined;
  response.on('close', () => {
    closed = true;
    watcher?.close();
    closeSync(fd);
  });
  void ended?.finally(() => {
    last = true;
    pump();
  });
  pump();
}

/** Returns the pod's termination message, or the end of its log if `fallback` is set. */
export function terminationMessage(log: string, file: string, fallback: boolean): string {
  let text = '';
  try {
    text = readFileSync(file).subarray(0, TERMINATION_MESSAGE_MAX_BYTES).toString();
  } catch {
    // no termination message
  }
  if (text || !fallback) return text;
  const fd = openSync(log, 'r');
  try {
    const { size } = fstatSync(fd);
    const from = Math.max(tailOffset(fd, size, FALLBACK_LINES), size - FALLBACK_BYTES);
    const buffer = Buffer.alloc(size - from);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, from));
  } finally {
    closeSync(fd);
  }
}
