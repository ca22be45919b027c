/** Also writes events to the log, with the launch's correlation ids, so that one id finds a task's whole history. */

import { correlationOf } from '@seqpanel/crds/correlation.ts';
import { keyOf } from '@seqpanel/crds/kube/objects.ts';
import type { Logger } from 'pino';
import type { EventRecorder } from './events.ts';

/** Omits the messages, because they may contain sample names. */
export const loggedEvents = (events: EventRecorder, log: Pick<Logger, 'info' | 'warn'>): EventRecorder => ({
  settled: events.settled,
  record: (about, event) => {
    const fields = { task: keyOf(about), reason: event.reason, ...correlationOf(about.metadata.annotations) };
    if (event.type === 'Warning') log.warn(fields, 'task event');
    else log.info(fields, 'task event');
    events.record(about, event);
  },
});
