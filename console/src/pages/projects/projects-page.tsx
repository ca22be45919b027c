import { Button, PageSection } from '@patternfly/react-core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { fileSize, count as formatCount, gigabytes } from '../../components/format.ts';
import { LongName } from '../../components/long-name.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { clientRows } from '../../hooks/client-rows.ts';
import { useGroup } from '../../hooks/use-group.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';
import { type Project, useProjects } from '../../queries/projects.ts';
import { DeleteProjectModal } from './delete-project-modal.tsx';
import { ProjectNameModal } from './project-name-modal.tsx';
import { PROJECT_RULES, PROJECTS_TABLE } from './projects-table-definition.ts';
import { StorageCard } from './storage-card.tsx';

type Open = { what: 'add' } | { what: 'rename' | 'delete'; project: Project } | undefined;

/** /tools/projects: the group's projects (data management). */
export function ProjectsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id: group, param } = useGroup();
  const table = useUrlTableState(PROJECTS_TABLE);
  const query = useProjects(group);
  const [open, setOpen] = useState<Open>();
  const projects = query.data?.results;
  const shown = useMemo(() => (projects ? clientRows(projects, table, PROJECT_RULES) : undefined), [projects, table]);
  const add = (
    <Button variant="primary" onClick={() => setOpen({ what: 'add' })}>
      {t('projects.add')}
    </Button>
  );

  const columns: Column<Project>[] = [
    {
      key: 'name',
      title: t('projects.name'),
      sortable: true,
      width: 25,
      cell: ({ id, name }) => (
        <Link to={`/tools/projects/${id}${param}`}>
          <LongName name={name} />
        </Link>
      ),
    },
    { key: 'created', title: t('projects.date'), sortable: true, cell: ({ created }) => <Timestamp value={created} /> },
    {
      key: 'fastqs',
      title: t('projects.fastqs'),
      sortable: true,
      number: true,
      cell: ({ fastqs }) => formatCount(fastqs),
    },
    {
      key: 'files',
      title: t('projects.files'),
      sortable: true,
      number: true,
      optional: 'shown',
      cell: ({ files }) => formatCount(files),
    },
    {
      key: 'size',
      title: t('projects.size_gb'),
      sortable: true,
      number: true,
      optional: 'shown',
      cell: ({ size }) => <span title={fileSize(size)}>{gigabytes(size)}</span>,
    },
    {
      key: 'owner',
      title: t('projects.owner'),
      sortable: true,
      optional: 'shown',
      cell: ({ owner }) => <span translate="no">{owner}</span>,
    },
  ];

  return (
    <>
      <PageHeader title={t('projects.title')} purpose={t('projects.purpose')} actions={add} />
      <PageSection hasBodyWrapper={false} isFilled>
        <StorageCard group={group} />
        <DataTable
          label={t('projects.title')}
          columns={columns}
          rows={shown?.rows}
          count={shown?.count}
          rowKey={({ id }) => id}
          rowName={({ name }) => name}
          query={query}
          table={table}
          search={t('projects.search')}
          errorTitle={t('projects.load_failed')}
          empty={{ title: t('projects.empty_title'), body: t('projects.empty_body'), action: add }}
          actions={(project) => [
            {
              title: t('projects.upload'),
              onClick: () => void navigate(`/tools/projects/${project.id}/upload${param}`),
            },
            { title: t('projects.rename'), onClick: () => setOpen({ what: 'rename', project }) },
            { isSeparator: true },
            { title: t('projects.delete'), onClick: () => setOpen({ what: 'delete', project }) },
          ]}
        />
      </PageSection>
      {open?.what === 'add' && (
        <ProjectNameModal group={group} taken={projects ?? []} onClose={() => setOpen(undefined)} />
      )}
      {open?.what === 'rename' && (
        <ProjectNameModal
          group={group}
          taken={projects ?? []}
          project={open.project}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open?.what === 'delete' && (
        <DeleteProjectModal group={group} project={open.project} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}
