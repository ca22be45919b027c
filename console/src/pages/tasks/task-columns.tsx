import { Button, Flex } from '@patternfly/react-core';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { CopyButton } from '../../components/copy-button.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Duration } from '../../components/duration.tsx';
import { LongName } from '../../components/long-name.tsx';
import type { ReasonText } from '../../components/reason-text.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import type { TaskRow } from '../../queries/tasks.ts';
import { SampleProgress } from './sample-progress.tsx';
import { TaskStateLabel } from './task-state-label.tsx';

/** Shows the first eight characters of the UUID and copies all. */
export const shortId = (id: string): string => id.slice(0, 8);

interface Operations<Row> {
  reasonText: ReasonText;
  onAbort: (row: Row) => void;
  /** Absent where tasks cannot be rerun. */
  onRerun?: (row: Row) => void;
}

/** Returns the address of a task's page or subpage; undefined for a task that the user may not open. */
export type TaskLink<Row> = (row: Row, below?: '' | '/logfile') => string | undefined;

/** Returns the columns of a list of tasks. Optional columns come last. */
export function taskColumns<Row extends TaskRow>(
  t: TFunction,
  linkOf: TaskLink<Row>,
  { reasonText, onAbort, onRerun }: Operations<Row>,
): Column<Row>[] {
  return [
    {
      key: 'id',
      title: t('tasks.columns.id'),
      sortable: true,
      cell: (row) => (
        <span className="sp-mono sp-nowrap">
          <MaybeLink to={linkOf(row)}>{shortId(row.id)}</MaybeLink>{' '}
          <CopyButton text={row.id} what={t('tasks.copy_id')} />
        </span>
      ),
    },
    {
      key: 'name',
      title: t('tasks.columns.name'),
      sortable: true,
      cell: (row) => (
        <>
          <MaybeLink to={linkOf(row)}>
            <LongName name={row.name} max={40} />
          </MaybeLink>
          <div className="sp-second-line" translate="no">
            {row.panel.name} · {row.preset.name}
          </div>
        </>
      ),
    },
    { key: 'date', title: t('tasks.columns.date'), sortable: true, cell: (row) => <Timestamp value={row.date} /> },
    {
      key: 'group',
      title: t('tasks.columns.group'),
      sortable: true,
      cell: (row) => <LongName name={row.group.name} max={24} />,
    },
    {
      key: 'status',
      title: t('tasks.columns.status'),
      sortable: true,
      cell: (row) => (
        <>
          <span className="sp-task-state">
            <TaskStateLabel task={row} />
            {row.status !== 'completed' && <SampleProgress task={row} />}
          </span>
          {row.reason && row.status !== 'completed' && (
            <div className="sp-second-line" title={row.reason}>
              <MaybeLink to={row.status === 'failed' ? linkOf(row, '/logfile') : undefined}>
                {reasonText(row)}
              </MaybeLink>
            </div>
          )}
        </>
      ),
    },
    {
      key: 'stage',
      title: t('tasks.columns.stage'),
      sortable: true,
      cell: (row) =>
        row.stage ? (
          <>
            {t(`tasks.stage.${row.stage}`)}
            <div className="sp-second-line">
              {t('tasks.stage_of', { n: row.stage_number })}
              {row.attempt > 1 ? `, ${t('tasks.attempt', { n: row.attempt })}` : ''}
            </div>
          </>
        ) : (
          '–'
        ),
    },
    {
      key: 'operation',
      title: t('tasks.columns.operation'),
      cell: (row) => (
        <Flex spaceItems={{ default: 'spaceItemsXs' }} flexWrap={{ default: 'nowrap' }}>
          {row.can_abort && (
            <Button
              size="sm"
              variant="secondary"
              onClick={() => onAbort(row)}
              aria-label={t('tasks.abort_of', { name: row.name })}
            >
              {t('tasks.abort_short')}
            </Button>
          )}
          {onRerun && (
            <Button
              size="sm"
              variant="secondary"
              isAriaDisabled={!row.can_rerun}
              {...(row.can_rerun ? {} : { title: t('tasks.rerun_unfinished') })}
              onClick={() => row.can_rerun && onRerun(row)}
              aria-label={t('tasks.rerun_of', { name: row.name })}
            >
              {t('tasks.rerun')}
            </Button>
          )}
        </Flex>
      ),
    },
    {
      key: 'samples',
      title: t('tasks.columns.samples'),
      sortable: true,
      number: true,
      optional: 'hidden',
      cell: (row) => row.samples.total,
    },
    {
      key: 'qc',
      title: t('tasks.columns.qc'),
      optional: 'hidden',
      cell: (row) => t('tasks.qc_counts', { pass: row.qc.pass, warn: row.qc.warn, fail: row.qc.fail }),
    },
    {
      key: 'user',
      title: t('tasks.columns.user'),
      sortable: true,
      optional: 'hidden',
      cell: (row) => row.user ?? t('tasks.external'),
    },
    {
      key: 'project',
      title: t('tasks.columns.project'),
      sortable: true,
      optional: 'hidden',
      cell: (row) => <LongName name={row.project.name} max={24} />,
    },
    {
      key: 'pipeline',
      title: t('tasks.columns.pipeline'),
      optional: 'hidden',
      cell: (row) => row.pipeline.name,
    },
    {
      key: 'duration',
      title: t('tasks.columns.duration'),
      sortable: true,
      number: true,
      optional: 'hidden',
      cell: (row) => <Duration ms={row.duration_seconds === null ? null : row.duration_seconds * 1000} />,
    },
  ];
}

function MaybeLink({ to, children }: { to: string | undefined; children: ReactNode }) {
  return to === undefined ? children : <Link to={to}>{children}</Link>;
}
