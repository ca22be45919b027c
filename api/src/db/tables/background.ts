/** Tables that the background work of all replicas shares: outbox, turns of the ingest, periodic work, worker nodes. */
import type { Condition } from '@seqpanel/crds/kinds.ts';
import type { Intent } from '../../outbox/intent.ts';

export interface OutboxTable {
  id: number;
  /** <Kind>/<name>: intents of one object are carried out in their order. */
  object: string;
  intent: Intent;
  created: Date;
  next_try: Date;
  attempts: number;
  last_error: string | null;
  state: 'pending' | 'done' | 'failed' | 'cancelled';
  finished: Date | null;
  /** The id of a group, or '' for the configuration of the installation. */
  group_key: string;
  urgent: boolean;
  leased_by: string | null;
  leased_until: Date | null;
}

export interface OutboxTurnTable {
  group_key: string;
  served: number;
}

export interface IngestTurnTable {
  task_id: string;
  /** Incremented by every change of the task. */
  wanted: number;
  attempts: number;
  next_try: Date;
  leased_by: string | null;
  leased_until: Date | null;
}

export interface PeriodicWorkTable {
  name: string;
  done: Date | null;
  leased_by: string | null;
  leased_until: Date | null;
}

export interface WorkerPoolTable {
  id: string;
  name: string;
  resource_version: number;
  queue: string;
  instance_type: string | null;
  min: number;
  max: number;
  desired: number | null;
  ready: number | null;
  pending_pods: number | null;
  running_pods: number | null;
  conditions: Condition[];
  created: Date;
  modified: Date;
  /** When the resource was found deleted. */
  gone: Date | null;
}

export interface WorkerPoolSampleTable {
  pool_id: string;
  at: Date;
  desired: number;
  ready: number;
}

export interface WorkerTable {
  id: string;
  pool_id: string;
  node: string;
  instance_id: string | null;
  created: Date;
  cloud_status: string | null;
  register_status: string | null;
  register_date: Date | null;
  ip_address: string | null;
  /** Name of the AnalysisTask whose step runs on it. */
  task: string | null;
  idle_since: Date | null;
  gone: Date | null;
}

/** Long work that a person started: deletions, archives, scans, copies. */
export interface JobTable {
  id: string;
  kind: string;
  /** Null for work on the installation. */
  group_id: string | null;
  /** The object that it works on. */
  subject: string | null;
  username: string;
  payload: Record<string, unknown>;
  state: 'queued' | 'running' | 'completed' | 'failed' | 'canceled';
  /** Progress in the kind's unit: files, bytes. */
  done: number;
  total: number | null;
  result: Record<string, unknown> | null;
  /** What went wrong, for the person who started it. */
  error: string | null;
  cancel_requested: boolean;
  attempts: number;
  created: Date;
  started: Date | null;
  finished: Date | null;
  leased_by: string | null;
  leased_until: Date | null;
}
