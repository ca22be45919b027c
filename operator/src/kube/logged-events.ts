/** Events that also become lines of the log, with the ids of the launch, so that one id finds a task's whole course. */

import { correlationOf } from '@seqpanel/crds/correlation.ts';
import { keyOf } from '@seqpanel/crds/kube/objects.ts';
import type { Logger } from 'pino';
import type { EventRecorder } from './events.ts';

/** Without the texts: they may hold names of samples. */
export const loggedEvents = (events: EventRecorder, log: Pick<Logger, 'info' | 'warn'>): EventRecorder => ({
  settled: events.settled,
  record: (about, event) => {
    const fields = { task: keyOf(about), reason: event.reason, ...correlationOf(about.metadata.annotations) };
    if (event.type === 'Warning') log.warn(fields, 'task event');
    else log.info(fields, 'task event');
    events.record(about, event);
  },
});
