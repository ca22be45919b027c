import { Alert, Button, Flex, FlexItem } from '@patternfly/react-core';
import { groupFiles, parseFileName } from '@seqpanel/crds/sample-grouping.ts';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemText } from '../../api/problem-text.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { fileSize } from '../../components/format.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { LongName } from '../../components/long-name.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { byName, type ClientRules, clientRows } from '../../hooks/client-rows.ts';
import type { TableDefinition } from '../../hooks/table-url.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';
import { usePanels } from '../../queries/launch.ts';
import { type ProjectFile, useProjectFiles } from '../../queries/projects.ts';
import { withFiles } from './draft.ts';
import { selectionRefusal } from './selection.ts';
import type { StepProps } from './step-props.ts';

const TABLE: TableDefinition = {
  id: 'launch-files',
  sortable: ['name', 'type', 'size', 'created'],
  defaultSort: { key: 'name', dir: 'asc' },
  filters: { type: { allowed: ['fastq', 'bam', 'bai'], multiple: true } },
};

const RULES: ClientRules<ProjectFile> = {
  text: (row) => [row.name],
  compare: {
    name: (a, b) => byName(a.name, b.name),
    type: (a, b) => byName(a.type, b.type),
    size: (a, b) => a.size - b.size,
    created: (a, b) => a.created.localeCompare(b.created),
  },
  filter: { type: (row, value) => row.type === value },
};

/** Step 2: the sample files of the project, grouped into samples by their names (LAUNCH-13, LAUNCH-16 to 18). */
export function SelectFilesStep({ group, groupParam, draft, setDraft }: StepProps) {
  const { t } = useTranslation();
  const table = useUrlTableState(TABLE);
  const files = useProjectFiles(group, draft.project);
  const panel = usePanels(group).data?.results.find(({ id }) => id === draft.panel);
  const [refusal, setRefusal] = useState<{ code: string; file?: string }>();
  const usable = useMemo(() => (files.data?.results ?? []).filter((file) => file.type !== 'samplesheet'), [files.data]);
  const page = files.data ? clientRows(usable, table, RULES) : undefined;
  const selected = useMemo(
    () => new Set(draft.samples.flatMap((sample) => sample.files.map((file) => file.name))),
    [draft.samples],
  );
  const select = (names: ReadonlySet<string>) => {
    const wanted = withPartners([...names], selected, usable);
    const problem = selectionRefusal(wanted, panel?.bam_allowed ?? true);
    setRefusal(problem);
    if (!problem) setDraft((now) => withFiles(now, wanted));
  };
  const size = usable.filter((file) => selected.has(file.name)).reduce((sum, file) => sum + file.size, 0);
  const columns: Column<ProjectFile>[] = [
    { key: 'name', title: t('output.path'), sortable: true, cell: (row) => <LongName name={row.name} max={56} /> },
    { key: 'type', title: t('output.type'), sortable: true, cell: (row) => <span translate="no">{row.type}</span> },
    {
      key: 'sample',
      title: t('task_detail.sample.name'),
      cell: (row) => <span translate="no">{parseFileName(row.name)?.sample ?? '–'}</span>,
    },
    { key: 'read', title: t('launch.read'), cell: (row) => <span translate="no">{readOf(row.name)}</span> },
    { key: 'size', title: t('output.size'), sortable: true, number: true, cell: (row) => fileSize(row.size) },
    {
      key: 'created',
      title: t('tasks.columns.date'),
      sortable: true,
      cell: (row) => <Timestamp value={row.created} />,
    },
  ];
  return (
    <>
      {refusal && (
        <Alert
          isInline
          component="p"
          variant="danger"
          title={problemText(t, { ...refusal, file: refusal.file ?? '', panel: panel?.display_name ?? '' })}
          role="alert"
        />
      )}
      <Flex>
        <FlexItem grow={{ default: 'grow' }}>
          <strong aria-live="polite">
            {t('launch.selection', {
              samples: t('launch.samples', { count: draft.samples.length }),
              files: t('launch.files', { count: selected.size }),
              size: fileSize(size),
            })}
          </strong>
        </FlexItem>
        <FlexItem>
          <Button
            variant="secondary"
            onClick={() => page && select(new Set([...selected, ...page.all.map((file) => file.name)]))}
          >
            {t('launch.select_all')}
          </Button>
        </FlexItem>
        <FlexItem>
          <LinkButton variant="link" to={`/tools/projects/${draft.project}/upload${groupParam}`}>
            {t('launch.upload')}
          </LinkButton>
        </FlexItem>
      </Flex>
      <DataTable
        label={t('launch.step.select-files')}
        columns={columns}
        rows={page?.rows}
        count={page?.count}
        rowKey={(row) => row.name}
        rowName={(row) => row.name}
        query={files}
        table={table}
        search={t('output.search')}
        filters={[
          {
            key: 'type',
            title: t('output.type'),
            options: ['fastq', 'bam', 'bai'].map((value) => ({ value, text: value })),
          },
        ]}
        selected={selected}
        onSelect={select}
        errorTitle={t('project.load_failed')}
        empty={{ title: t('launch.no_files_title'), body: t('launch.no_files_body') }}
      />
    </>
  );
}

function readOf(name: string): string {
  const parsed = parseFileName(name);
  return parsed ? [parsed.lane, parsed.read].filter(Boolean).join(' ') : '–';
}

/** Selects and deselects a BAM together with its index. */
function withPartners(names: readonly string[], before: ReadonlySet<string>, files: readonly ProjectFile[]): string[] {
  const wanted = new Set(names);
  const known = new Set(files.map((file) => file.name));
  for (const name of names)
    if (/\.bam$/i.test(name) && !before.has(name) && known.has(`${name}.bai`)) wanted.add(`${name}.bai`);
  for (const name of before) if (/\.bam$/i.test(name) && !wanted.has(name)) wanted.delete(`${name}.bai`);
  return groupFiles([...wanted]).flatMap((group) => group.files.map((file) => file.name));
}
