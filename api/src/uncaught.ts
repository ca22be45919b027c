/** Exits the process on an uncaught error, because its state is unknown afterwards. */
import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { currentRequestId } from './request-id.ts';

export interface UncaughtOptions {
  log: Logger;
  metrics: Registry;
  /** Folder of the file that grows by one byte for each such error, so that the metric survives the process. */
  folder: string;
}

/** Call once. Node also reports unhandled rejections as uncaught exceptions. */
export function exitOnUncaught({ log, metrics, folder }: UncaughtOptions): void {
  const file = join(folder, 'uncaught-errors');
  const counter = new Counter({
    name: 'seqpanel_api_uncaught_errors_total',
    help: 'Uncaught errors. Each ended a process of this pod or data folder.',
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
