import { Pagination, PaginationVariant } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { PAGE_SIZES } from '../hooks/table-url.ts';
import type { UrlTable } from '../hooks/use-url-table-state.ts';

/** Pagination with the page sizes 5 to 100. */
export function TablePagination({ table, count, isBottom }: { table: UrlTable; count: number; isBottom?: boolean }) {
  const { t } = useTranslation();
  return (
    <Pagination
      itemCount={count}
      page={table.page}
      perPage={table.perPage}
      perPageOptions={PAGE_SIZES.map((value) => ({ title: String(value), value }))}
      onSetPage={(_event, page) => table.setPage(page)}
      onPerPageSelect={(_event, perPage) => table.setPerPage(perPage)}
      variant={isBottom ? PaginationVariant.bottom : PaginationVariant.top}
      isCompact={!isBottom}
      widgetId={`${table.definition.id}-${isBottom ? 'bottom' : 'top'}`}
      titles={{
        items: '',
        page: '',
        pages: '',
        itemsPerPage: t('table.per_page'),
        perPageSuffix: t('table.per_page_suffix'),
        toFirstPageAriaLabel: t('table.first_page'),
        toPreviousPageAriaLabel: t('table.previous_page'),
        toNextPageAriaLabel: t('table.next_page'),
        toLastPageAriaLabel: t('table.last_page'),
        currPageAriaLabel: t('table.current_page'),
        paginationAriaLabel: isBottom ? t('table.pagination_bottom') : t('table.pagination_top'),
        ofWord: t('table.of'),
      }}
    />
  );
}
