import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/copy-button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { LongName } from '../../components/long-name.tsx';
import { useReasonText } from '../../components/reason-text.ts';
import { pageOf, pageRequest } from '../../hooks/api-page.ts';
import type { TableDefinition } from '../../hooks/table-url.ts';
import { useSession } from '../../hooks/use-session.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';
import { type AdminTaskParams, type AdminTaskRow, useAdminTasks } from '../../queries/admin.ts';
import { AbortModal } from '../tasks/abort-modal.tsx';
import { STATUS_FILTERS, useStatusFilters } from '../tasks/status-filters.ts';
import { shortId, type TaskLink, taskColumns } from '../tasks/task-columns.tsx';
import type { AdminTabProps } from './admin-tab-props.ts';

const TABLE: TableDefinition = {
  id: 'all-tasks',
  sortable: ['id', 'name', 'date', 'group', 'status', 'stage', 'user', 'project', 'samples', 'duration'],
  defaultSort: { key: 'date', dir: 'desc' },
  filters: STATUS_FILTERS,
};

/** Lists the tasks of all groups. Only tasks of the user's groups can be opened. */
export function AllTasksTab({ refetchInterval }: AdminTabProps) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const statusFilters = useStatusFilters();
  const session = useSession();
  const table = useUrlTableState(TABLE);
  const [asked, setAsked] = useState<AdminTaskRow>();
  const query = useAdminTasks(pageRequest<AdminTaskParams>(table, ['status', 'stage']), refetchInterval);
  const columns = useMemo(() => {
    const mine = new Set(session?.groups?.map(({ id }) => id));
    const linkOf: TaskLink<AdminTaskRow> = (row, below = '') =>
      mine.has(row.group.id) ? `/secondary-analysis/tasks/${row.id}${below}?group=${row.group.id}` : undefined;
    return adminColumns(t, taskColumns(t, linkOf, { reasonText, onAbort: setAsked }));
  }, [t, reasonText, session?.groups]);
  return (
    <>
      <DataTable
        label={t('system_tasks.tab.tasks')}
        columns={columns}
        {...pageOf(query)}
        rowKey={(row) => row.id}
        rowName={(row) => row.name}
        table={table}
        search={t('system_tasks.search_tasks')}
        errorTitle={t('tasks.load_failed')}
        filters={statusFilters}
        empty={{ title: t('tasks.empty_title'), body: t('system_tasks.no_tasks') }}
      />
      {asked && <AbortModal group={undefined} task={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

/** Adds user, worker and celery id before the operations. Optional columns stay at the end. */
function adminColumns(t: TFunction, columns: Column<AdminTaskRow>[]): Column<AdminTaskRow>[] {
  const own: Column<AdminTaskRow>[] = [
    {
      key: 'user',
      title: t('tasks.columns.user'),
      sortable: true,
      cell: (row) => row.user ?? t('tasks.external'),
    },
    {
      key: 'worker',
      title: t('system_tasks.worker'),
      hint: t('system_tasks.worker_hint'),
      cell: (row) =>
        row.workers.length === 0
          ? '–'
          : row.workers.map((node) => (
              <div key={node} className="sp-nowrap">
                <LongName name={node} max={28} />
              </div>
            )),
    },
    {
      key: 'celery_id',
      title: t('system_tasks.celery_id'),
      cell: (row) =>
        row.celery_id === null ? (
          '–'
        ) : (
          <span className="sp-mono sp-nowrap" translate="no">
            {shortId(row.celery_id)} <CopyButton text={row.celery_id} what={t('system_tasks.copy_celery_id')} />
          </span>
        ),
    },
  ];
  const place = columns.findIndex(({ key }) => key === 'operation');
  const others = columns.filter(({ key }) => key !== 'user');
  return [...others.slice(0, place), ...own, ...others.slice(place)];
}
