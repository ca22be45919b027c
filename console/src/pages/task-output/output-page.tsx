import { Alert, Button, PageSection } from '@patternfly/react-core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { CopyButton } from '../../components/copy-button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ErrorAlert } from '../../components/error-state.tsx';
import { fileSize } from '../../components/format.ts';
import { LongName } from '../../components/long-name.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { byName, type ClientRules, clientRows } from '../../hooks/client-rows.ts';
import type { TableDefinition } from '../../hooks/table-url.ts';
import { useGroup } from '../../hooks/use-group.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';
import { type OutputFile, taskPath, useTask, useTaskOutput } from '../../queries/tasks.ts';
import { saveFile } from './save-file.ts';

const TABLE: TableDefinition = {
  id: 'task-output',
  sortable: ['path', 'type', 'sample', 'size', 'modified'],
  defaultSort: { key: 'path', dir: 'asc' },
  filters: { type: { pattern: /^[a-z0-9]{1,12}$/, multiple: true } },
};

const RULES: ClientRules<OutputFile> = {
  text: (row) => [row.path, row.sample ?? ''],
  compare: {
    path: (a, b) => byName(a.path, b.path),
    type: (a, b) => byName(a.type, b.type),
    sample: (a, b) => byName(a.sample ?? '', b.sample ?? ''),
    size: (a, b) => a.size - b.size,
    modified: (a, b) => a.modified.localeCompare(b.modified),
  },
  filter: { type: (row, value) => row.type === value },
};

/** /secondary-analysis/tasks/{id}/output: every result file with its description and download (TASK-11). */
export function OutputPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const group = useGroup();
  const table = useUrlTableState(TABLE);
  const task = useTask(group.id, id);
  const query = useTaskOutput(group.id, id);
  const [error, setError] = useState<unknown>();
  const page = query.data ? clientRows(query.data.results, table, RULES) : undefined;
  const types = [...new Set((query.data?.results ?? []).map((file) => file.type))].sort();
  const download = (file: OutputFile) => {
    setError(undefined);
    saveFile(`${taskPath(group.id, id)}/output/file?path=${encodeURIComponent(file.path)}`, file.name).catch(setError);
  };
  const columns: Column<OutputFile>[] = [
    { key: 'path', title: t('output.path'), sortable: true, cell: (row) => <LongName name={row.path} max={60} /> },
    {
      key: 'meaning',
      title: t('output.meaning'),
      cell: (row) => (row.meaning ? t(`output.meanings.${row.meaning}` as never, { defaultValue: row.meaning }) : '–'),
    },
    { key: 'type', title: t('output.type'), sortable: true, cell: (row) => <span translate="no">{row.type}</span> },
    {
      key: 'sample',
      title: t('task_detail.sample.name'),
      sortable: true,
      cell: (row) => (row.sample ? <LongName name={row.sample} max={24} /> : '–'),
    },
    { key: 'size', title: t('output.size'), sortable: true, number: true, cell: (row) => fileSize(row.size) },
    {
      key: 'modified',
      title: t('output.modified'),
      sortable: true,
      optional: 'hidden',
      cell: (row) => <Timestamp value={row.modified} />,
    },
    {
      key: 'sha256',
      title: 'SHA-256',
      optional: 'hidden',
      cell: (row) =>
        row.sha256 ? (
          <span className="sp-mono sp-tabular" title={row.sha256}>
            {row.sha256.slice(0, 10)}… <CopyButton text={row.sha256} what={t('output.copy_sha256')} />
          </span>
        ) : (
          '–'
        ),
    },
    {
      key: 'download',
      title: t('output.download'),
      cell: (row) => (
        <Button
          size="sm"
          variant="link"
          isInline
          onClick={() => download(row)}
          aria-label={t('output.download_of', { name: row.name })}
        >
          {t('output.download')}
        </Button>
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title={t('task_detail.output')}
        purpose={
          query.data
            ? t('output.purpose', {
                count: query.data.results.length,
                size: fileSize(query.data.total_size),
              })
            : t('table.loading')
        }
        breadcrumb={[
          { text: t('tasks.title'), to: `/secondary-analysis/tasks${group.param}` },
          { text: task.data?.name ?? '…', to: `/secondary-analysis/tasks/${id}${group.param}` },
        ]}
      />
      <PageSection hasBodyWrapper={false}>
        {query.data?.deleted && <Alert isInline component="p" variant="warning" title={t('output.deleted')} />}
        {error ? <ErrorAlert error={error} title={t('output.download_failed')} /> : null}
        <DataTable
          label={t('task_detail.output')}
          columns={columns}
          rows={page?.rows}
          count={page?.count}
          rowKey={(row) => row.path}
          query={query}
          table={table}
          search={t('output.search')}
          filters={[{ key: 'type', title: t('output.type'), options: types.map((value) => ({ value, text: value })) }]}
          empty={{ title: t('output.empty_title'), body: t('output.empty_body') }}
        />
      </PageSection>
    </>
  );
}
