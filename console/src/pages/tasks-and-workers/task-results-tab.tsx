import { Button, Label } from '@patternfly/react-core';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { CopyButton } from '../../components/copy-button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { LongName } from '../../components/long-name.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { pageOf, pageRequest } from '../../hooks/api-page.ts';
import type { TableDefinition, TableState } from '../../hooks/table-url.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';
import { type TaskResultParams, type TaskResultRow, useAllTaskResults } from '../../queries/admin.ts';
import { shortId } from '../tasks/task-columns.tsx';
import type { AdminTabProps } from './admin-tab-props.ts';
import { STEP_STATES, StepStateLabel } from './step-state-label.tsx';
import { TaskResultModal } from './task-result-modal.tsx';

const TABLE: TableDefinition = {
  id: 'task-results',
  sortable: ['id', 'task_id', 'date_done', 'status'],
  defaultSort: { key: 'date_done', dir: 'desc' },
  filters: { status: { multiple: true, allowed: STEP_STATES }, failed: { allowed: ['yes'] } },
};

/** Every attempt of every step with its result. `?result=` opens one. */
export function TaskResultsTab({ refetchInterval }: AdminTabProps) {
  const { t } = useTranslation();
  const table = useUrlTableState(TABLE);
  const [params, setParams] = useSearchParams();
  const query = useAllTaskResults(requestOf(table), refetchInterval);
  const opened = params.get('result');
  const columns = useMemo(() => {
    const open = (id: string) =>
      setParams((now) => {
        const next = new URLSearchParams(now);
        next.set('result', id);
        return next;
      });
    return columnsOf(t, open);
  }, [t, setParams]);
  const close = () =>
    setParams((now) => {
      const next = new URLSearchParams(now);
      next.delete('result');
      return next;
    });
  return (
    <>
      <DataTable
        label={t('system_tasks.tab.results')}
        columns={columns}
        {...pageOf(query)}
        rowKey={(row) => row.id}
        table={table}
        search={t('system_tasks.search_results')}
        errorTitle={t('system_tasks.results_failed')}
        filters={[
          {
            key: 'failed',
            title: t('system_tasks.failures'),
            options: [{ value: 'yes', text: t('system_tasks.only_failed') }],
          },
          {
            key: 'status',
            title: t('system_tasks.result_columns.status'),
            options: STEP_STATES.map((value) => ({ value, text: t(`system_tasks.step_state.${value}`) })),
          },
        ]}
        empty={{ title: t('system_tasks.no_results_title'), body: t('system_tasks.no_results_body') }}
      />
      {opened && <TaskResultModal id={opened} onClose={close} />}
    </>
  );
}

function columnsOf(t: TFunction, open: (id: string) => void): Column<TaskResultRow>[] {
  const title = (key: keyof typeof import('../../locales/en/system-tasks.json')['result_columns']) =>
    t(`system_tasks.result_columns.${key}`);
  return [
    {
      key: 'id',
      title: title('id'),
      sortable: true,
      cell: (row) => (
        <>
          <span className="sp-mono sp-nowrap">
            <Button variant="link" isInline onClick={() => open(row.id)}>
              {shortId(row.id)}
            </Button>{' '}
            <CopyButton text={row.id} what={t('system_tasks.copy_result_id')} />
          </span>
          <div className="sp-second-line sp-nowrap">
            <span translate="no">{row.meta.step}</span>, {t('tasks.attempt', { n: row.meta.attempt })}
          </div>
        </>
      ),
    },
    {
      key: 'task_id',
      title: title('task_id'),
      sortable: true,
      cell: (row) => (
        <>
          <span className="sp-mono sp-nowrap">
            {shortId(row.task_id)} <CopyButton text={row.task_id} what={t('tasks.copy_id')} />
          </span>
          <div className="sp-second-line">
            <LongName name={row.meta.task} max={28} />
          </div>
        </>
      ),
    },
    {
      key: 'date_done',
      title: title('date_done'),
      sortable: true,
      cell: (row) => <Timestamp value={row.date_done} />,
    },
    { key: 'status', title: title('status'), sortable: true, cell: (row) => <StepStateLabel state={row.status} /> },
    {
      key: 'result',
      title: title('result'),
      cell: (row) =>
        row.result === null ? (
          '–'
        ) : (
          <Button
            variant="link"
            isInline
            title={row.result}
            onClick={() => open(row.id)}
            aria-label={t('system_tasks.result_of', nameOf(row))}
          >
            <span translate="no">result.json</span>
          </Button>
        ),
    },
    {
      key: 'traceback',
      title: title('traceback'),
      folds: { into: 'result', below: 900 },
      cell: (row) =>
        row.traceback === null ? (
          '–'
        ) : (
          <Button variant="link" isInline className="sp-traceback" onClick={() => open(row.id)}>
            <span translate="no">{row.traceback.length > 80 ? `${row.traceback.slice(0, 80)}…` : row.traceback}</span>
          </Button>
        ),
    },
    {
      key: 'hidden',
      title: title('hidden'),
      folds: { into: 'status', below: 1100 },
      hint: t('system_tasks.hidden_hint'),
      cell: (row) => (row.hidden ? <Label isCompact>{t('system_tasks.yes')}</Label> : t('system_tasks.no')),
    },
    {
      key: 'meta',
      title: title('meta'),
      folds: { into: 'task_id', below: 1100 },
      cell: ({ meta }) => (
        <span translate="no">
          {[
            meta.group,
            meta.job,
            meta.reason && t(`tasks.reason_of.${meta.reason}` as never, { defaultValue: meta.reason }),
          ]
            .filter((part) => part !== null)
            .map((part) => (
              <div key={part} className="sp-second-line">
                <LongName name={part} max={28} />
              </div>
            ))}
        </span>
      ),
    },
    {
      key: 'content_type',
      title: title('content_type'),
      folds: { into: 'result', below: 1300 },
      optional: 'shown',
      cell: (row) => <span translate="no">{row.content_type}</span>,
    },
    {
      key: 'content_encoding',
      title: title('content_encoding'),
      folds: { into: 'result', below: 1300 },
      optional: 'shown',
      cell: (row) => <span translate="no">{row.content_encoding}</span>,
    },
  ];
}

/** Names the attempt of a button for screen readers. */
const nameOf = ({ meta }: TaskResultRow) => ({ step: meta.step, attempt: meta.attempt, task: meta.task });

function requestOf(table: TableState): TaskResultParams {
  return {
    ...pageRequest<TaskResultParams>(table, ['status']),
    ...(table.filters['failed']?.length ? { failed: true } : {}),
  };
}
