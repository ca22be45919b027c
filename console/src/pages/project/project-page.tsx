import { Button, Label, PageSection } from '@patternfly/react-core';
import ExclamationTriangleIcon from '@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router-dom';
import { CopyButton } from '../../components/copy-button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { fileSize, count as formatCount, gigabytes } from '../../components/format.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { LongName } from '../../components/long-name.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { clientRows } from '../../hooks/client-rows.ts';
import { useGroup } from '../../hooks/use-group.ts';
import { useNotify } from '../../hooks/use-notify.ts';
import { useRecent } from '../../hooks/use-recent.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';
import { fileDownloadUrl, useProject, useProjectFiles, useSyncFiles } from '../../queries/projects.ts';
import { LaunchWithThese } from '../launch/launch-with-these.tsx';
import { DeleteProjectModal } from '../projects/delete-project-modal.tsx';
import { ProjectNameModal } from '../projects/project-name-modal.tsx';
import { DeleteFilesModal } from './delete-files-modal.tsx';
import { FILE_RULES, FILE_TYPES, FILES_TABLE, type FileRow, withPartners } from './files-table-definition.ts';

type Open = { what: 'files'; files: FileRow[] } | { what: 'rename' | 'delete' } | undefined;

/** /tools/projects/{id}: the files of one project. */
export function ProjectPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const notify = useNotify();
  const { id = '' } = useParams();
  const { id: group, param } = useGroup();
  const table = useUrlTableState(FILES_TABLE);
  const project = useProject(group, id);
  const query = useProjectFiles(group, id);
  const sync = useSyncFiles(group, id);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<Open>();
  useRecent('project', group, `/tools/projects/${id}${param}`, project.data?.name);
  const files = useMemo(() => (query.data ? withPartners(query.data.results) : undefined), [query.data]);
  const shown = useMemo(() => (files ? clientRows(files, table, FILE_RULES) : undefined), [files, table]);
  const chosen = files?.filter((file) => selected.has(file.id)) ?? [];

  if (project.error) {
    return (
      <PageSection hasBodyWrapper={false} isFilled>
        <ErrorState error={project.error} title={t('project.load_failed')} onRetry={() => void project.refetch()} />
      </PageSection>
    );
  }

  const download = async (file: FileRow) => {
    try {
      const link = document.createElement('a');
      link.href = await fileDownloadUrl(group, file.id);
      link.download = file.name;
      link.click();
    } catch (error) {
      notify.error(t('project.download_failed', { file: file.name }))(error);
    }
  };

  const readFolder = () =>
    sync.mutate(undefined, {
      onSuccess: ({ refused }) =>
        refused.length > 0
          ? notify.add({
              variant: 'warning',
              title: t('project.sync_refused', { count: refused.length }),
              body: refused
                .slice(0, 5)
                .map(({ message }) => message)
                .join(' '),
            })
          : notify.success(t('project.synced')),
      onError: notify.error(t('project.sync_failed')),
    });

  const columns: Column<FileRow>[] = [
    { key: 'name', title: t('project.name'), sortable: true, cell: ({ name }) => <LongName name={name} /> },
    { key: 'type', title: t('project.type'), sortable: true, cell: ({ type }) => t(`project.types.${type}`) },
    { key: 'size', title: t('project.size'), sortable: true, number: true, cell: ({ size }) => fileSize(size) },
    {
      key: 'partner',
      title: t('project.partner'),
      hint: t('project.partner_hint'),
      optional: 'shown',
      cell: (file) =>
        file.isPartnerMissing ? (
          <Label isCompact color="yellow" icon={<ExclamationTriangleIcon />}>
            {t('project.partner_missing')}
          </Label>
        ) : file.partner ? (
          <LongName name={file.partner} max={32} />
        ) : (
          '–'
        ),
    },
    {
      key: 'created',
      title: t('project.date'),
      sortable: true,
      optional: 'shown',
      cell: ({ created }) => <Timestamp value={created} />,
    },
    {
      key: 'sha256',
      title: 'SHA-256',
      optional: 'shown',
      cell: ({ sha256, name }) => (
        <span className="sp-tabular">
          <span className="sp-mono" title={sha256} translate="no">
            {sha256.slice(0, 8)}…
          </span>
          <CopyButton text={sha256} what={t('project.copy_sum', { file: name })} />
        </span>
      ),
    },
    {
      key: 'owner',
      title: t('projects.owner'),
      sortable: true,
      optional: 'hidden',
      cell: ({ owner }) => <span translate="no">{owner}</span>,
    },
  ];

  const upload = (
    <LinkButton variant="primary" to={`/tools/projects/${id}/upload${param}`}>
      {t('projects.upload')}
    </LinkButton>
  );
  const name = project.data?.name ?? '…';
  return (
    <>
      <PageHeader
        title={name}
        breadcrumb={[{ text: t('projects.title'), to: `/tools/projects${param}` }]}
        {...(project.data
          ? {
              purpose: t('project.purpose', {
                files: t('project.files', { count: project.data.files }),
                fastqs: formatCount(project.data.fastqs),
                size: gigabytes(project.data.size),
              }),
            }
          : {})}
        actions={
          <>
            <Button variant="secondary" onClick={() => setOpen({ what: 'rename' })} isAriaDisabled={!project.data}>
              {t('projects.rename')}
            </Button>
            <Button
              variant="secondary"
              isDanger
              onClick={() => setOpen({ what: 'delete' })}
              isAriaDisabled={!project.data}
            >
              {t('projects.delete')}
            </Button>
            {upload}
          </>
        }
      />
      <PageSection hasBodyWrapper={false} isFilled>
        <DataTable
          label={t('project.files_of', { name })}
          columns={columns}
          rows={shown?.rows}
          count={shown?.count}
          rowKey={(file) => file.id}
          rowName={(file) => file.name}
          query={query}
          table={table}
          search={t('project.search')}
          errorTitle={t('project.load_failed')}
          filters={[
            {
              key: 'type',
              title: t('project.type'),
              options: FILE_TYPES.map((value) => ({ value, text: t(`project.types.${value}`) })),
            },
            {
              key: 'partner',
              title: t('project.partner'),
              options: [{ value: 'missing', text: t('project.partner_missing') }],
            },
          ]}
          toolbar={
            <>
              <LaunchWithThese project={id} names={chosen.map((file) => file.name)} />
              <Button
                variant="secondary"
                isAriaDisabled={chosen.length === 0}
                onClick={() => chosen.length > 0 && setOpen({ what: 'files', files: chosen })}
              >
                {t('project.delete_selected')}
              </Button>
              <Button variant="link" isLoading={sync.isPending} onClick={readFolder}>
                {t('project.sync')}
              </Button>
            </>
          }
          selected={selected}
          onSelect={setSelected}
          empty={{ title: t('project.empty_title'), body: t('project.empty_body'), action: upload }}
          actions={(file) => [
            { title: t('project.download'), onClick: () => void download(file) },
            { isSeparator: true },
            { title: t('project.delete_file'), onClick: () => setOpen({ what: 'files', files: [file] }) },
          ]}
        />
      </PageSection>
      {open?.what === 'files' && (
        <DeleteFilesModal
          group={group}
          project={id}
          files={open.files}
          onClose={() => setOpen(undefined)}
          onDeleted={() => setSelected(new Set())}
        />
      )}
      {open?.what === 'rename' && project.data && (
        <ProjectNameModal group={group} taken={[]} project={project.data} onClose={() => setOpen(undefined)} />
      )}
      {open?.what === 'delete' && project.data && (
        <DeleteProjectModal
          group={group}
          project={project.data}
          onClose={() => setOpen(undefined)}
          onDeleted={() => void navigate(`/tools/projects${param}`)}
        />
      )}
    </>
  );
}
