import {
  Button,
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
  EmptyStateVariant,
  Skeleton,
} from '@patternfly/react-core';
import SearchIcon from '@patternfly/react-icons/dist/esm/icons/search-icon';
import { Td, Tr } from '@patternfly/react-table';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { UrlTable } from '../hooks/use-url-table-state.ts';
import type { TableFilter } from './table-filter.tsx';

/** One cell as wide as the table. */
export function WholeRow({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <Tr>
      <Td colSpan={columns}>{children}</Td>
    </Tr>
  );
}

/** Rows while the first data load; one cell each, because a cell per column delays the first paint of the page. */
export function SkeletonRows({ columns, rows }: { columns: number; rows: number }) {
  const { t } = useTranslation();
  return Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
    <WholeRow key={row} columns={columns}>
      <Skeleton width="80%" {...(row === 0 ? { screenreaderText: t('table.loading') } : {})} />
    </WholeRow>
  ));
}

/** Shown while a view has no data: says so ([ERR-70]), what will appear here, and the action that adds it. */
export function NothingYet({ title, body, action }: { title: string; body: string; action?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <EmptyState headingLevel="h2" titleText={title} variant={EmptyStateVariant.lg}>
      <EmptyStateBody>
        <p>{t('table.no_data')}</p>
        <p>{body}</p>
      </EmptyStateBody>
      {action && (
        <EmptyStateFooter>
          <EmptyStateActions>{action}</EmptyStateActions>
        </EmptyStateFooter>
      )}
    </EmptyState>
  );
}

/** Names the filters that hide all rows, with a button that clears them. */
export function AllFilteredAway({ table, filters }: { table: UrlTable; filters: TableFilter[] }) {
  const { t } = useTranslation();
  const names = [
    ...(table.q ? [`“${table.q}”`] : []),
    ...filters.filter(({ key }) => table.filters[key]?.length).map(({ title }) => title),
  ];
  return (
    <EmptyState
      headingLevel="h2"
      icon={SearchIcon}
      titleText={t('table.filtered_title')}
      variant={EmptyStateVariant.sm}
    >
      <EmptyStateBody>{t('table.filtered_body', { filters: names.join(', ') })}</EmptyStateBody>
      <EmptyStateFooter>
        <EmptyStateActions>
          <Button variant="link" onClick={table.clearFilters}>
            {t('table.clear_filters')}
          </Button>
        </EmptyStateActions>
      </EmptyStateFooter>
    </EmptyState>
  );
}
