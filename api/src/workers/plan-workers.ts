/** Plans the changes to a pool's worker rows for a new status. Pure. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { WorkerTable } from '../db/tables/background.ts';

export type WorkerStatus = NonNullable<NonNullable<WorkerPool['status']>['workers']>[number];

/** Columns of `worker` that come from the status. */
export type WorkerColumns = Omit<WorkerTable, 'id' | 'pool_id' | 'created' | 'gone'>;
export type WorkerRow = WorkerColumns & Pick<WorkerTable, 'id'>;

export interface WorkerPlan {
  insert: WorkerColumns[];
  update: { id: string; columns: WorkerColumns }[];
  /** Ids of rows whose server is gone. */
  gone: string[];
}

export function columnsOf(worker: WorkerStatus): WorkerColumns {
  const date = (text: string | undefined): Date | null => (text ? new Date(text) : null);
  return {
    node: worker.node,
    instance_id: worker.instanceId ?? null,
    cloud_status: worker.cloudStatus ?? null,
    register_status: worker.registerStatus ?? null,
    register_date: date(worker.registerDate),
    ip_address: worker.ipAddress ?? null,
    task: worker.task ?? null,
    idle_since: date(worker.idleSince),
  };
}

/**
 * `present`: rows that are not gone. Workers are matched by instance, because a node with another instance is a new
 * worker under an old name, and a machine is renamed when it joins. Without an instance they are matched by name.
 */
export function planWorkers(present: readonly WorkerRow[], workers: readonly WorkerStatus[]): WorkerPlan {
  const rows = new Set(present);
  const byNode = new Map(present.map((row) => [row.node, row]));
  const byInstance = new Map(present.flatMap((row) => (row.instance_id ? [[row.instance_id, row]] : [])));
  const plan: WorkerPlan = { insert: [], update: [], gone: [] };
  for (const columns of workers.map(columnsOf)) {
    const same = columns.instance_id === null ? undefined : byInstance.get(columns.instance_id);
    const named = byNode.get(columns.node);
    const row = same ?? (named && (named.instance_id === null || columns.instance_id === null) ? named : undefined);
    if (!row || !rows.delete(row)) plan.insert.push(columns);
    else if (differs(row, columns)) plan.update.push({ id: row.id, columns });
  }
  plan.gone.push(...[...rows].map(({ id }) => id));
  return plan;
}

const differs = (row: WorkerRow, columns: WorkerColumns): boolean =>
  (Object.keys(columns) as (keyof WorkerColumns)[]).some(
    (key) => (row[key]?.valueOf() ?? null) !== (columns[key]?.valueOf() ?? null),
  );
