import { Alert, Card, CardBody, CardTitle, Gallery, Title } from '@patternfly/react-core';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { count, joinSentences } from '../../components/format.ts';
import { LongName } from '../../components/long-name.tsx';
import { PageSkeleton } from '../../components/page-skeleton.tsx';
import { QC_STATUSES, type QcStatus, QcStatusLabel } from '../../components/status-label.tsx';
import { byName, type ClientRules, clientRows } from '../../hooks/client-rows.ts';
import type { TableDefinition } from '../../hooks/table-url.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';
import { type TaskQc, useTaskQc } from '../../queries/results.ts';
import { sampleCounts } from '../../queries/sample-counts.ts';
import { byImportance, IMPORTANT, metricName, metricText, verdictText } from './qc-format.ts';
import type { TabProps } from './tabs.ts';

type QcRow = TaskQc['samples'][number];

const WORST: (QcStatus | null)[] = ['fail', 'warn', 'not_assessed', null, 'pass'];
const rank = (row: QcRow): number => WORST.indexOf(row.status ?? null);

const TABLE: TableDefinition = {
  id: 'task-qc',
  sortable: ['status', 'sample', 'type'],
  defaultSort: { key: 'status', dir: 'asc' },
  filters: { status: { allowed: QC_STATUSES, multiple: true } },
};

const RULES: ClientRules<QcRow> = {
  text: (row) => [row.sample, row.qc_type, row.role],
  compare: {
    status: (a, b) => rank(a) - rank(b) || byName(a.sample, b.sample),
    sample: (a, b) => byName(a.sample, b.sample),
    type: (a, b) => byName(a.qc_type, b.qc_type),
  },
  filter: { status: (row, value) => row.status === value },
};

/** Shows the samples that can be used, and the reasons why others cannot. */
export function QcTab({ group, task, refetchInterval }: TabProps) {
  const { t } = useTranslation();
  const table = useUrlTableState(TABLE);
  const query = useTaskQc(group, task.id, refetchInterval);
  const columns = useMemo(() => columnsOf(byImportance(query.data?.metrics ?? []), t), [query.data?.metrics, t]);
  if (query.error)
    return <ErrorState error={query.error} title={t('qc.load_failed')} onRetry={() => void query.refetch()} />;
  if (!query.data) return <PageSkeleton />;
  const { samples, ready, skipped } = query.data;
  const page = clientRows(samples, table, RULES);
  const { passed, total, unassessed } = sampleCounts(task);
  return (
    <>
      {skipped && <Alert isInline component="p" variant="warning" title={t('qc.skipped')} />}
      {!ready && !skipped && (
        <Alert
          isInline
          component="p"
          variant="info"
          title={t('qc.not_ready', { measured: samples.length, count: task.samples.total })}
        />
      )}
      {ready && !skipped && (
        <Title headingLevel="h2" size="lg">
          {joinSentences([
            t('qc.verdict', { passed, count: total - unassessed }),
            ...(unassessed > 0 ? [t('task_detail.verdict.unassessed', { count: unassessed })] : []),
          ])}
        </Title>
      )}
      <Controls samples={samples} />
      <DataTable
        label={t('qc.title')}
        columns={columns}
        rows={page.rows}
        count={page.count}
        rowKey={(row) => row.sample}
        query={query}
        table={table}
        search={t('qc.search')}
        filters={[
          {
            key: 'status',
            title: t('qc.status'),
            options: QC_STATUSES.map((value) => ({ value, text: t(`common.qc_status.${value}`) })),
          },
        ]}
        empty={{ title: t('qc.empty_title'), body: t('qc.empty_body') }}
      />
    </>
  );
}

function columnsOf(metrics: string[], t: TFunction): Column<QcRow>[] {
  return [
    {
      key: 'sample',
      title: t('task_detail.sample.name'),
      sortable: true,
      cell: (row) => <LongName name={row.sample} max={28} />,
    },
    {
      key: 'type',
      title: t('task_detail.sample.type'),
      sortable: true,
      cell: (row) =>
        row.qc_type === 'Sample' ? (
          String(t(`task_detail.role.${row.role}` as never))
        ) : (
          <span translate="no">{row.qc_type}</span>
        ),
    },
    {
      key: 'status',
      title: t('qc.status'),
      sortable: true,
      cell: (row) => (row.status ? <QcStatusLabel status={row.status} /> : '–'),
    },
    {
      key: 'why',
      title: t('qc.why'),
      cell: (row) =>
        row.verdicts
          .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
          .slice(0, 3)
          .map((verdict) => verdictText(t, verdict))
          .join('; ') || '–',
    },
    ...metrics.map(
      (metric): Column<QcRow> => ({
        key: metric,
        title: metricName(t, metric),
        number: true,
        optional: IMPORTANT.includes(metric) ? 'shown' : 'hidden',
        cell: (row) => <Metric row={row} metric={metric} />,
      }),
    ),
  ];
}

/** Value with its denominator and limit on hover; icon and word only where it warns or fails. */
function Metric({ row, metric }: { row: QcRow; metric: string }) {
  const { t } = useTranslation();
  const value = row.metrics[metric];
  const verdict = row.verdicts.find((candidate) => candidate.metric === metric);
  if (!value || value.value === null) return <span title={t('common.not_measured')}>–</span>;
  const bad = verdict && (verdict.verdict === 'fail' || verdict.verdict === 'warn') ? verdict.verdict : undefined;
  const hover = [
    value.denominator === null
      ? undefined
      : `${value.numerator === null ? '–' : count(value.numerator)} / ${count(value.denominator)}`,
    verdict?.limit === null || !verdict
      ? undefined
      : t('qc.limit', { limit: metricText(metric, verdict.limit), source: sourceText(t, verdict.source) }),
  ].filter(Boolean);
  return (
    <span title={hover.join(' · ')}>
      {metricText(metric, value.value)} {bad && <QcStatusLabel status={bad} />}
    </span>
  );
}

const sourceText = (t: TFunction, source: string | null): string =>
  source === null ? '' : String(t(`qc.source.${source}` as never, { defaultValue: source }));

const CONTROL_TYPES = ['NTC', 'NegCtrl', 'PosCtrl'] as const;

/** The controls of the run, each with its worst verdict and the reason. */
function Controls({ samples }: { samples: QcRow[] }) {
  const { t } = useTranslation();
  const controls = samples.filter((row) => CONTROL_TYPES.some((type) => type === row.qc_type));
  if (controls.length === 0) return null;
  return (
    <Gallery hasGutter minWidths={{ default: '240px' }} className="sp-controls">
      {controls.map((row) => (
        <Card key={row.sample} isCompact>
          <CardTitle component="h3">
            <span translate="no">
              {row.qc_type} · {row.sample}
            </span>
          </CardTitle>
          <CardBody>
            {row.status ? <QcStatusLabel status={row.status} /> : '–'}
            {row.verdicts
              .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
              .map((verdict) => (
                <p key={verdict.metric}>{verdictText(t, verdict)}</p>
              ))}
          </CardBody>
        </Card>
      ))}
    </Gallery>
  );
}
