import { PageSection } from '@patternfly/react-core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../../components/data-table.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { LiveLabel } from '../../components/live-label.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useReasonText } from '../../components/reason-text.ts';
import { pageOf, pageRequest } from '../../hooks/api-page.ts';
import type { TableDefinition, TableState } from '../../hooks/table-url.ts';
import { useGroup } from '../../hooks/use-group.ts';
import { useLive } from '../../hooks/use-live.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';
import { isUnfinished, type TaskListParams, type TaskRow, useTaskEvents, useTasks } from '../../queries/tasks.ts';
import { AbortModal } from './abort-modal.tsx';
import { RerunModal } from './rerun-modal.tsx';
import { STATUS_FILTERS, useStatusFilters } from './status-filters.ts';
import { taskColumns } from './task-columns.tsx';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const TABLE: TableDefinition = {
  id: 'tasks',
  sortable: ['id', 'name', 'date', 'group', 'status', 'stage', 'user', 'project', 'samples', 'duration'],
  defaultSort: { key: 'date', dir: 'desc' },
  filters: {
    ...STATUS_FILTERS,
    owner: { allowed: ['me'] },
    qc: { allowed: ['failed'] },
    from: { pattern: DAY },
    to: { pattern: DAY },
  },
};

/** /secondary-analysis/tasks: list of runs with their state. */
export function TasksPage() {
  const { t } = useTranslation();
  const statusFilters = useStatusFilters();
  const group = useGroup();
  const table = useUrlTableState(TABLE);
  const [asked, setAsked] = useState<{ what: 'abort' | 'rerun'; row: TaskRow }>();
  const [hasUnfinished, setHasUnfinished] = useState(true);
  const { state, refetchInterval } = useLive({ onEvent: useTaskEvents(group.id), isUnfinished: hasUnfinished });
  const query = useTasks(group.id, requestOf(table), refetchInterval);
  const unfinished = query.data?.results.some((row) => isUnfinished(row.status)) ?? true;
  if (unfinished !== hasUnfinished) setHasUnfinished(unfinished);

  const reasonText = useReasonText();
  const columns = useMemo(
    () =>
      taskColumns<TaskRow>(t, (row, below = '') => `/secondary-analysis/tasks/${row.id}${below}${group.param}`, {
        reasonText,
        onAbort: (row) => setAsked({ what: 'abort', row }),
        onRerun: (row) => setAsked({ what: 'rerun', row }),
      }),
    [t, reasonText, group.param],
  );
  const launch = (
    <LinkButton variant="primary" to={`/secondary-analysis/launch/start-from${group.param}`}>
      {t('tasks.launch')}
    </LinkButton>
  );
  return (
    <>
      <PageHeader
        title={t('tasks.title')}
        purpose={t('tasks.purpose')}
        beside={<LiveLabel state={state} updatedAt={query.dataUpdatedAt} />}
        actions={launch}
      />
      <PageSection hasBodyWrapper={false}>
        <DataTable
          label={t('tasks.title')}
          columns={columns}
          {...pageOf(query)}
          rowKey={(row) => row.id}
          rowName={(row) => row.name}
          table={table}
          search={t('tasks.search')}
          errorTitle={t('tasks.load_failed')}
          filters={[
            ...statusFilters,
            { key: 'owner', title: t('tasks.columns.user'), options: [{ value: 'me', text: t('tasks.mine') }] },
            { key: 'qc', title: t('tasks.columns.qc'), options: [{ value: 'failed', text: t('tasks.qc_failed') }] },
            { key: 'from', title: t('tasks.from'), kind: 'date' },
            { key: 'to', title: t('tasks.to'), kind: 'date' },
          ]}
          empty={{ title: t('tasks.empty_title'), body: t('tasks.empty_body'), action: launch }}
        />
      </PageSection>
      {asked?.what === 'abort' && <AbortModal group={group.id} task={asked.row} onClose={() => setAsked(undefined)} />}
      {asked?.what === 'rerun' && (
        <RerunModal group={group.id} groupParam={group.param} task={asked.row} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

function requestOf(table: TableState): TaskListParams {
  return {
    ...pageRequest<TaskListParams>(table, ['status', 'stage', 'owner', 'from', 'to']),
    ...(table.filters['qc']?.length ? { qc_failed: true } : {}),
  };
}
