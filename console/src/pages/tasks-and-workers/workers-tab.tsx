import { Stack, StackItem } from '@patternfly/react-core';
import type { TFunction } from 'i18next';
import { Fragment, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { CopyButton } from '../../components/copy-button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ErrorAlert } from '../../components/error-state.tsx';
import { LongName } from '../../components/long-name.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { pageOf, pageRequest } from '../../hooks/api-page.ts';
import type { TableDefinition } from '../../hooks/table-url.ts';
import { useSession } from '../../hooks/use-session.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';
import { useWorkerPools, useWorkers, type Worker, type WorkerParams } from '../../queries/admin.ts';
import { shortId } from '../tasks/task-columns.tsx';
import type { AdminTabProps } from './admin-tab-props.ts';
import { PoolCard } from './pool-card.tsx';
import { RegisterState, WorkerStateLabel } from './worker-labels.tsx';

const SORTABLE = [
  'id',
  'server_instance_id',
  'created',
  'queue_name',
  'cloud_status',
  'register_status',
  'register_date',
  'ip_address',
  'task',
  'idle_since',
] as const;

const TABLE: TableDefinition = {
  id: 'workers',
  sortable: SORTABLE,
  defaultSort: { key: 'created', dir: 'desc' },
  filters: { state: { allowed: ['present', 'gone'] }, queue: {} },
};

/** Columns that fold under another one when the list is narrower than `below` px. */
const FOLDS: Partial<Record<(typeof SORTABLE)[number], NonNullable<Column<Worker>['folds']>>> = {
  idle_since: { into: 'task', below: 1400 },
  register_date: { into: 'register_status', below: 1400 },
  server_instance_id: { into: 'id', below: 1100 },
  ip_address: { into: 'id', below: 1000 },
  queue_name: { into: 'id', below: 850 },
};

/** Shows pools with the reason for their size, and their worker nodes. */
export function WorkersTab({ refetchInterval }: AdminTabProps) {
  const { t } = useTranslation();
  const session = useSession();
  const table = useUrlTableState(TABLE);
  const pools = useWorkerPools(refetchInterval);
  const query = useWorkers(pageRequest<WorkerParams>(table, ['state', 'queue']), refetchInterval);
  const columns = useMemo(() => {
    const mine = new Set(session?.groups?.map(({ id }) => id));
    return columnsOf(t, (group) => group !== null && mine.has(group));
  }, [t, session?.groups]);
  const queues = [...new Set(pools.data?.results.map((pool) => pool.queue_name))];
  return (
    <Stack hasGutter>
      {pools.error ? (
        <StackItem>
          <ErrorAlert error={pools.error} title={t('system_tasks.pools_failed')} onRetry={() => void pools.refetch()} />
        </StackItem>
      ) : null}
      {pools.data?.results.map((pool) => (
        <StackItem key={pool.id}>
          <PoolCard pool={pool} readAt={pools.dataUpdatedAt} />
        </StackItem>
      ))}
      <StackItem>
        <DataTable
          label={t('system_tasks.tab.workers')}
          columns={columns}
          {...pageOf(query)}
          rowKey={(row) => row.id}
          table={table}
          search={t('system_tasks.search_workers')}
          errorTitle={t('system_tasks.workers_failed')}
          filters={[
            {
              key: 'state',
              title: t('system_tasks.presence'),
              options: [
                { value: 'present', text: t('system_tasks.present') },
                { value: 'gone', text: t('system_tasks.gone') },
              ],
            },
            ...(queues.length > 1
              ? [
                  {
                    key: 'queue',
                    title: t('system_tasks.worker_columns.queue_name'),
                    options: queues.map((value) => ({ value, text: value })),
                  },
                ]
              : []),
          ]}
          empty={{ title: t('system_tasks.no_workers_title'), body: t('system_tasks.no_workers_body') }}
        />
      </StackItem>
    </Stack>
  );
}

function columnsOf(t: TFunction, mayOpen: (group: string | null) => boolean): Column<Worker>[] {
  const cells: Record<(typeof SORTABLE)[number], Column<Worker>['cell']> = {
    id: (row) => (
      <>
        <span className="sp-mono sp-nowrap">
          {shortId(row.id)} <CopyButton text={row.id} what={t('system_tasks.copy_worker_id')} />
        </span>
        <div className="sp-second-line">
          <LongName name={row.node} max={28} />
        </div>
      </>
    ),
    server_instance_id: (row) =>
      row.server_instance_id === null ? '–' : <LongName name={row.server_instance_id} max={28} />,
    created: (row) => <Timestamp value={row.created} />,
    queue_name: (row) => <LongName name={row.queue_name} max={24} />,
    cloud_status: (row) => (row.gone === null ? <WorkerStateLabel state={row.cloud_status} /> : '–'),
    register_status: (row) => <RegisterState worker={row} />,
    register_date: (row) => <Timestamp value={row.register_date} />,
    ip_address: (row) => (
      <span className="sp-time" translate="no">
        <Address text={row.ip_address ?? '–'} />
      </span>
    ),
    task: ({ task }) => {
      if (!task) return '–';
      const name = <LongName name={task.name} max={28} />;
      if (!mayOpen(task.group)) return name;
      return <Link to={`/secondary-analysis/tasks/${task.id}?group=${task.group}`}>{name}</Link>;
    },
    idle_since: (row) => <Timestamp value={row.idle_since} />,
  };
  return SORTABLE.map((key) => ({
    key,
    title: t(`system_tasks.worker_columns.${key}`),
    sortable: true,
    cell: cells[key],
    ...(FOLDS[key] ? { folds: FOLDS[key] } : {}),
  }));
}

/** Allows a line break after each colon, because IPv6 addresses are long. */
function Address({ text }: { text: string }) {
  return text.split(/(?<=:)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their place
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
