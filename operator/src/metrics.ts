/** What the operator counts. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    reconcileSeconds: new Histogram({
      name: 'seqpanel_operator_reconcile_seconds',
      help: 'Time of one reconcile',
      labelNames: ['kind'],
      buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    }),
    reconcileErrors: new Counter({
      name: 'seqpanel_operator_reconcile_errors_total',
      help: 'Reconciles that are repeated after an error',
      labelNames: ['kind', 'error'],
      registers,
    }),
    reactionSeconds: new Histogram({
      name: 'seqpanel_operator_reaction_seconds',
      help: "From the watch event of a Job's end received to the create of the next Job answered",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 1, 5],
      registers,
    }),
    watchErrors: new Counter({
      name: 'seqpanel_operator_watch_errors_total',
      help: 'Lists and watches that are repeated after an error',
      labelNames: ['resource'],
      registers,
    }),
    leader: new Gauge({
      name: 'seqpanel_operator_leader',
      help: '1 when this process leads and works, 0 when it stands by',
      registers,
    }),
    writes: new Counter({
      name: 'seqpanel_operator_writes_total',
      help: 'Writes sent to the Kubernetes API, without those of the Lease',
      labelNames: ['verb', 'resource'],
      registers,
    }),
    queueDepth: new Gauge({
      name: 'seqpanel_operator_queue_depth',
      help: 'Keys that wait or are worked on',
      labelNames: ['kind'],
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
