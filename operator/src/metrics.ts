/** What the operator counts. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What is read at every scrape instead of counted. */
export interface Measured {
  /** AnalysisTasks by phase. */
  tasks: () => ReadonlyMap<string, number>;
  /** Unfinished AnalysisTasks that do not go on by themselves, by the reason of their condition. */
  stuck: () => ReadonlyMap<string, number>;
  /** Seconds since the oldest end of a Job that no status tells of; 0 when there is none. */
  oldestUnreported: () => number;
  /** Keys that wait or are worked on, by kind. */
  depths: () => ReadonlyMap<string, number>;
  /** Tasks that wait for admission, by reason. */
  waiting: () => ReadonlyMap<string, number>;
}

export function createMetrics() {
  let measured: Measured | undefined;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    /** Says where the gauges read. */
    measure: (source: Measured): void => {
      measured = source;
    },
    tasks: new Gauge({
      name: 'seqpanel_operator_tasks',
      help: 'AnalysisTasks in the cluster by phase',
      labelNames: ['phase'],
      registers,
      collect() {
        this.reset();
        for (const [phase, count] of measured?.tasks() ?? []) this.set({ phase }, count);
      },
    }),
    stuck: new Gauge({
      name: 'seqpanel_operator_tasks_stuck',
      help: 'Unfinished AnalysisTasks that wait for something a person may have to mend, by reason',
      labelNames: ['reason'],
      registers,
      collect() {
        this.reset();
        for (const [reason, count] of measured?.stuck() ?? []) this.set({ reason }, count);
      },
    }),
    oldestUnreported: new Gauge({
      name: 'seqpanel_operator_oldest_unreported_seconds',
      help: 'How long ago the oldest Job ended whose end is not in the status of its task yet; 0 when all are',
      registers,
      collect() {
        this.set(measured?.oldestUnreported() ?? 0);
      },
    }),
    failedSteps: new Counter({
      name: 'seqpanel_operator_failed_steps_total',
      help: 'Steps that failed for good, and their task with them; without stage and step when a task may not start',
      labelNames: ['stage', 'step', 'code'],
      registers,
    }),
    failedSamples: new Counter({
      name: 'seqpanel_operator_failed_samples_total',
      help: 'Samples that failed for good, at most 20 of a task',
      labelNames: ['step', 'code'],
      registers,
    }),
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
    waiting: new Gauge({
      name: 'seqpanel_operator_waiting_tasks',
      help: 'AnalysisTasks that wait for admission, by the limit of the first of their group',
      labelNames: ['reason'],
      registers,
      collect() {
        for (const [reason, count] of measured?.waiting() ?? []) this.set({ reason }, count);
      },
    }),
    queueDepth: new Gauge({
      name: 'seqpanel_operator_queue_depth',
      help: 'Keys that wait or are worked on',
      labelNames: ['kind'],
      registers,
      collect() {
        for (const [kind, depth] of measured?.depths() ?? []) this.set({ kind }, depth);
      },
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
