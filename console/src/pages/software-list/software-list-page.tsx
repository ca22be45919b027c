import { Page, PageSection, Title } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { publicFetch } from '../../api/client.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { LanguageSwitch } from '../../frame/language-switch.tsx';
import { byName, type ClientRules, clientRows } from '../../hooks/client-rows.ts';
import type { TableDefinition } from '../../hooks/table-url.ts';
import { useUrlTableState } from '../../hooks/use-url-table-state.ts';

interface Software {
  name: string;
  version: string;
  license: string;
}

interface PipelineTool extends Software {
  use: 'reads' | 'alignment' | 'variants' | 'coverage' | 'annotation';
}

const TABLE: TableDefinition = {
  id: 'software',
  sortable: ['name', 'license'],
  defaultSort: { key: 'name', dir: 'asc' },
};

const RULES: ClientRules<Software> = {
  text: ({ name, license }) => [name, license],
  compare: {
    name: (a, b) => byName(a.name, b.name),
    license: (a, b) => byName(a.license, b.license) || byName(a.name, b.name),
  },
};

const softwareQuery = queryOptions({
  queryKey: ['software'],
  queryFn: async () =>
    (await (await publicFetch(new Request(new URL('/software.json', window.location.origin)))).json()) as {
      pipeline: PipelineTool[];
      web: Software[];
    },
  staleTime: Number.POSITIVE_INFINITY,
});

/** /software-list, public: third-party software of the product. */
export function SoftwareListPage() {
  const { t } = useTranslation();
  const table = useUrlTableState(TABLE);
  const query = useQuery(softwareQuery);
  const shown = useMemo(() => (query.data ? clientRows(query.data.web, table, RULES) : undefined), [query.data, table]);
  const columns: Column<Software>[] = [
    {
      key: 'name',
      title: t('software.name'),
      sortable: true,
      cell: ({ name }) => (
        <a href={`https://www.npmjs.com/package/${name}`} rel="noreferrer" target="_blank" translate="no">
          {name}
        </a>
      ),
    },
    { key: 'version', title: t('software.version'), cell: ({ version }) => <span translate="no">{version}</span> },
    {
      key: 'license',
      title: t('software.license'),
      sortable: true,
      cell: ({ license }) => <span translate="no">{license || '–'}</span>,
    },
  ];
  return (
    <Page className="sp-plain-page">
      <PageHeader
        title={t('software.title')}
        purpose={t('software.purpose')}
        actions={
          <>
            <LanguageSwitch />
            <LinkButton variant="link" to="/login">
              {t('login.log_in')}
            </LinkButton>
          </>
        }
      />
      <PageSection hasBodyWrapper={false}>
        <Title headingLevel="h2">{t('software.pipeline')}</Title>
        <Table aria-label={t('software.pipeline')} variant="compact">
          <Thead>
            <Tr>
              <Th>{t('software.name')}</Th>
              <Th>{t('software.version')}</Th>
              <Th>{t('software.license')}</Th>
              <Th>{t('software.use')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {query.data?.pipeline.map(({ name, version, license, use }) => (
              <Tr key={name}>
                <Th scope="row" dataLabel={t('software.name')}>
                  <span translate="no">{name}</span>
                </Th>
                <Td dataLabel={t('software.version')}>
                  <span translate="no">{version}</span>
                </Td>
                <Td dataLabel={t('software.license')}>
                  <span translate="no">{license}</span>
                </Td>
                <Td dataLabel={t('software.use')}>{t(`software.uses.${use}`)}</Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      </PageSection>
      <PageSection hasBodyWrapper={false}>
        <Title headingLevel="h2">{t('software.web')}</Title>
        <DataTable
          label={t('software.web')}
          columns={columns}
          rows={shown?.rows}
          count={shown?.count}
          rowKey={({ name, version }) => `${name}@${version}`}
          query={query}
          table={table}
          search={t('software.search')}
          empty={{ title: t('software.title'), body: t('software.purpose') }}
        />
      </PageSection>
    </Page>
  );
}
