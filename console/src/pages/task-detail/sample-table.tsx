import { Label, Title } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { LongName } from '../../components/long-name.tsx';
import { failureText } from '../../components/reason-text.ts';
import { QcStatusLabel } from '../../components/status-label.tsx';
import { byName, type ClientRules, clientRows } from '../../hooks/client-rows.ts';
import type { TableDefinition } from '../../hooks/table-url.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';
import { type TaskSampleRow, useTaskSamples } from '../../queries/tasks.ts';
import type { TabProps } from './tabs.ts';

const STATES = ['waiting', 'running', 'done', 'failed'] as const;
const COLOR = { waiting: 'grey', running: 'blue', done: 'green', failed: 'red' } as const;

const TABLE: TableDefinition = {
  id: 'task-samples',
  sortable: ['index', 'name', 'state', 'type', 'variants'],
  defaultSort: { key: 'index', dir: 'asc' },
  filters: { state: { allowed: STATES, multiple: true } },
};

const RULES: ClientRules<TaskSampleRow> = {
  text: (row) => [row.name, row.library_id, row.pair ?? ''],
  compare: {
    index: (a, b) => a.index - b.index,
    name: (a, b) => byName(a.name, b.name),
    state: (a, b) => STATES.indexOf(b.state) - STATES.indexOf(a.state),
    type: (a, b) => byName(a.qc_type + a.role, b.qc_type + b.role),
    variants: (a, b) => (a.variants_kept ?? -1) - (b.variants_kept ?? -1),
  },
  filter: { state: (row, value) => row.state === value },
};

/** Samples of a run: progress, failure reason and links to the results. */
export function SampleTable({ group, groupParam, task, refetchInterval }: TabProps) {
  const { t } = useTranslation();
  const table = useUrlTableState(TABLE);
  const query = useTaskSamples(group, task.id, refetchInterval);
  const page = query.data ? clientRows(query.data.results, table, RULES) : undefined;
  const to = (row: TaskSampleRow, tab: string) =>
    `/secondary-analysis/tasks/${task.id}?tab=${tab}&sample=${encodeURIComponent(row.name)}${groupParam.replace('?', '&')}`;
  const columns: Column<TaskSampleRow>[] = [
    { key: 'index', title: '#', sortable: true, number: true, cell: (row) => row.index + 1 },
    { key: 'name', title: t('task_detail.sample.name'), sortable: true, cell: (row) => <LongName name={row.name} /> },
    {
      key: 'type',
      title: t('task_detail.sample.type'),
      sortable: true,
      cell: (row) =>
        row.qc_type === 'Sample' ? t(`task_detail.role.${row.role}`) : <span translate="no">{row.qc_type}</span>,
    },
    {
      key: 'state',
      title: t('task_detail.sample.state'),
      sortable: true,
      cell: (row) => (
        <>
          <Label isCompact color={COLOR[row.state]}>
            {t(`task_detail.sample_state.${row.state}`)}
          </Label>
          {row.failure && (
            <div className="sp-second-line">
              <Link
                to={`/secondary-analysis/tasks/${task.id}/logfile?sample=${encodeURIComponent(row.name)}${groupParam.replace('?', '&')}`}
              >
                {row.failure.step ? `${row.failure.step}: ` : ''}
                {failureText(t, row.failure)}
              </Link>
            </div>
          )}
        </>
      ),
    },
    { key: 'qc', title: t('tasks.columns.qc'), cell: (row) => (row.qc ? <QcStatusLabel status={row.qc} /> : '–') },
    {
      key: 'variants',
      title: t('task_detail.sample.variants'),
      hint: t('task_detail.sample.variants_hint'),
      sortable: true,
      number: true,
      cell: (row) => (row.variants_ready ? <Link to={to(row, 'variants')}>{row.variants_kept ?? 0}</Link> : '–'),
    },
    {
      key: 'igv',
      title: t('task_detail.tab.igv'),
      cell: (row) => (row.metrics_ready ? <Link to={to(row, 'igv')}>{t('task_detail.open_igv')}</Link> : '–'),
    },
    {
      key: 'library',
      title: t('task_detail.sample.library'),
      optional: 'hidden',
      cell: (row) => <LongName name={row.library_id} />,
    },
    { key: 'pair', title: t('task_detail.sample.pair'), optional: 'hidden', cell: (row) => row.pair ?? '–' },
    {
      key: 'files',
      title: t('task_detail.sample.files'),
      optional: 'hidden',
      cell: (row) => <span title={row.files.join('\n')}>{row.files.length}</span>,
    },
  ];
  return (
    <>
      <Title headingLevel="h3" size="md">
        {t('task_detail.samples')}
      </Title>
      <DataTable
        label={t('task_detail.samples')}
        columns={columns}
        rows={page?.rows}
        count={page?.count}
        rowKey={(row) => row.name}
        query={query}
        table={table}
        search={t('task_detail.sample.search')}
        filters={[
          {
            key: 'state',
            title: t('task_detail.sample.state'),
            options: STATES.map((value) => ({ value, text: t(`task_detail.sample_state.${value}`) })),
          },
        ]}
        empty={{ title: t('task_detail.no_samples'), body: '' }}
      />
    </>
  );
}
