/** Errors that nothing caught end the process: its state is unknown from then on, and a new one starts clean. */
import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { currentRequestId } from './request-id.ts';

export interface UncaughtOptions {
  log: Logger;
  metrics: Registry;
  /** Keeps one byte for each such error, so that the metric survives the process. */
  folder: string;
}

/** Call once. Rejections that nothing handles come as uncaught exceptions too (Node's default). */
export function exitOnUncaught({ log, metrics, folder }: UncaughtOptions): void {
  const file = join(folder, 'uncaught-errors');
  const counter = new Counter({
    name: 'seqpanel_api_uncaught_errors_total',
    help: 'Errors that nothing caught; each ended a process of this pod or data folder.',
    registers: [metrics],
  });
  counter.inc(statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  process.on('uncaughtException', (err, origin) => {
    try {
      log.fatal({ err, origin, requestId: currentRequestId() }, 'uncaught error, exiting');
      appendFileSync(file, '.', { mode: 0o600 });
    } finally {
      process.exit(1);
    }
  });
}
