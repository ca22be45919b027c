/** The operator's metrics. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Values that are read at each scrape. */
export interface Measured {
  /** AnalysisTasks by phase. */
  tasks: () => ReadonlyMap<string, number>;
  /** Stuck unfinished AnalysisTasks by the reason of their condition. */
  stuck: () => ReadonlyMap<string, number>;
  /** Seconds since the oldest Job end that no status records; 0 when there is none. */
  oldestUnreported: () => number;
  /** Waiting and active keys by kind. */
  depths: () => ReadonlyMap<string, number>;
  /** Tasks waiting for admission by reason. */
  waiting: () => ReadonlyMap<string, number>;
}

export function createMetrics() {
  let measured: Measured | undefined;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    /** Sets the source of the gauges. */
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
      help: 'Unfinished AnalysisTasks that may need someone to act, by reason',
      labelNames: ['reason'],
      registers,
      collect() {
        this.reset();
        for (const [reason, count] of measured?.stuck() ?? []) this.set({ reason }, count);
      },
    }),
    oldestUnreported: new Gauge({
      name: 'seqpanel_operator_oldest_unreported_seconds',
      help: 'Seconds since the oldest Job end that is not yet in the status of its task; 0 when there is none',
      registers,
      collect() {
        this.set(measured?.oldestUnreported() ?? 0);
      },
    }),
    failedSteps: new Counter({
      name: 'seqpanel_operator_failed_steps_total',
      help: 'Steps that failed permanently, and with them their task; stage and step are empty when the task was rejected before its first step',
      labelNames: ['stage', 'step', 'code'],
      registers,
    }),
    failedSamples: new Counter({
      name: 'seqpanel_operator_failed_samples_total',
      help: 'Samples that failed permanently, at most 20 per task',
      labelNames: ['step', 'code'],
      registers,
    }),
    reconcileSeconds: new Histogram({
      name: 'seqpanel_operator_reconcile_seconds',
      help: 'Duration of one reconcile',
      labelNames: ['kind'],
      buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    }),
    reconcileErrors: new Counter({
      name: 'seqpanel_operator_reconcile_errors_total',
      help: 'Reconciles that failed and are retried',
      labelNames: ['kind', 'error'],
      registers,
    }),
    reactionSeconds: new Histogram({
      name: 'seqpanel_operator_reaction_seconds',
      help: "Time from receiving the watch event of a Job's end to the response that creates the next Job",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 1, 5],
      registers,
    }),
    watchErrors: new Counter({
      name: 'seqpanel_operator_watch_errors_total',
      help: 'Lists and watches that failed and are retried',
      labelNames: ['resource'],
      registers,
    }),
    leader: new Gauge({
      name: 'seqpanel_operator_leader',
      help: '1 when this process is the leader, 0 when it is on standby',
      registers,
    }),
    writes: new Counter({
      name: 'seqpanel_operator_writes_total',
      help: 'Writes sent to the Kubernetes API, excluding the leader lease',
      labelNames: ['verb', 'resource'],
      registers,
    }),
    waiting: new Gauge({
      name: 'seqpanel_operator_waiting_tasks',
      help: 'AnalysisTasks waiting for admission, by the limit that holds back the first task of their group',
      labelNames: ['reason'],
      registers,
      collect() {
        for (const [reason, count] of measured?.waiting() ?? []) this.set({ reason }, count);
      },
    }),
    queueDepth: new Gauge({
      name: 'seqpanel_operator_queue_depth',
      help: 'Keys waiting or being reconciled',
      labelNames: ['kind'],
      registers,
      collect() {
        for (const [kind, depth] of measured?.depths() ?? []) this.set({ kind }, depth);
      },
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
