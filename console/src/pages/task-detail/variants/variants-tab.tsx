import {
  Alert,
  Button,
  Drawer,
  DrawerContent,
  DrawerContentBody,
  EmptyState,
  EmptyStateBody,
  Flex,
  FlexItem,
  Label,
  LabelGroup,
  ToggleGroup,
  ToggleGroupItem,
} from '@patternfly/react-core';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { DebouncedSearch } from '../../../components/debounced-search.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { count as formatCount } from '../../../components/format.ts';
import { PageSkeleton } from '../../../components/page-skeleton.tsx';
import { useMedia } from '../../../hooks/use-media.ts';
import { focusResults, useEscape } from '../../../hooks/use-region-keys.ts';
import { useVariantColumns, useVariantFacets, useVariants } from '../../../queries/results.ts';
import { isUnfinished } from '../../../queries/tasks.ts';
import type { TabProps } from '../tabs.ts';
import { FacetPanel } from './facets.tsx';
import { SampleChoice } from './sample-choice.tsx';
import { SHOW, useVariantUrl } from './use-variant-url.ts';
import { filterWords } from './value-text.ts';
import { VariantDrawer } from './variant-drawer.tsx';
import { VariantGrid } from './variant-grid.tsx';
import './variants.css';

/** Variant table with its filters, and the evidence of one variant next to it. */
export function VariantsTab({ group, task, refetchInterval }: TabProps) {
  const { t } = useTranslation();
  const url = useVariantUrl();
  // The evidence covers the table when both do not fit side by side.
  const isWide = useMedia('(min-width: 1100px)');
  const columns = useVariantColumns();
  const variants = useVariants(group, task.id, url.query);
  const facets = useVariantFacets(group, task.id, url.facetQuery);
  const rows = variants.data?.pages.flatMap((page) => page.results) ?? [];
  const count = variants.data?.pages[0]?.count ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = variants;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const funnel = facets.data?.funnel;
  const { setOpen } = url;
  const close = useCallback(() => {
    setOpen(undefined);
    focusResults();
  }, [setOpen]);
  useEscape(url.open !== undefined, close);

  if (columns.error) return <ErrorState error={columns.error} onRetry={() => void columns.refetch()} />;
  if (variants.error)
    return (
      <ErrorState error={variants.error} title={t('variants.load_failed')} onRetry={() => void variants.refetch()} />
    );
  if (!columns.data) return <PageSkeleton />;
  return (
    <Drawer isExpanded={url.open !== undefined} isInline={isWide} position="end">
      <DrawerContent
        panelContent={
          url.open !== undefined ? (
            <VariantDrawer group={group} task={task.id} id={url.open} onClose={close} />
          ) : undefined
        }
      >
        <DrawerContentBody>
          {isUnfinished(task.status) && (
            <Alert
              isInline
              component="p"
              variant="info"
              title={t('variants.partial', { done: task.ingested.variants, count: task.samples.total })}
            />
          )}
          <Flex className="sp-variant-bar" alignItems={{ default: 'alignItemsCenter' }}>
            <FlexItem>
              <SampleChoice
                group={group}
                task={task.id}
                value={url.sample}
                onChange={url.setSample}
                refetchInterval={refetchInterval}
              />
            </FlexItem>
            <FlexItem>
              <ToggleGroup aria-label={t('variants.funnel')}>
                {SHOW.toReversed().map((show) => (
                  <ToggleGroupItem
                    key={show}
                    {...(show === 'all' ? { title: t('variants.show_all_hint') } : {})}
                    text={`${t(`variants.show.${show}`)}${funnel ? ` ${formatCount(funnel[show])}` : ''}`}
                    isSelected={url.show === show}
                    onChange={() => url.setShow(show)}
                  />
                ))}
              </ToggleGroup>
            </FlexItem>
            <FlexItem grow={{ default: 'grow' }}>
              <DebouncedSearch value={url.q} onChange={url.setQ} placeholder={t('variants.search')} />
            </FlexItem>
          </Flex>
          {url.filters.length > 0 && (
            <LabelGroup categoryName={t('variants.filters')} numLabels={10}>
              {url.filters.map((filter) => {
                const field = String(t(`variants.column.${filter.field}` as never, { defaultValue: filter.field }));
                const type = columns.data.find(({ key }) => key === filter.field)?.type;
                return (
                  <Label
                    key={filter.field}
                    onClose={() => url.setFilter({ field: filter.field })}
                    closeBtnAriaLabel={t('variants.remove_filter', { field })}
                  >
                    {field}: {filterWords(t, filter, type)}
                  </Label>
                );
              })}
            </LabelGroup>
          )}
          <p aria-live="polite" className="sp-second-line">
            {variants.isPending
              ? t('table.loading')
              : t('variants.count', {
                  shown: formatCount(count),
                  count: variants.data?.pages[0]?.total ?? 0,
                })}
          </p>
          <div className={`sp-variants${url.open === undefined || !isWide ? '' : ' sp-narrow'}`}>
            <FacetPanel facets={facets.data} columns={columns.data} url={url} />
            {variants.isPending ? (
              <PageSkeleton />
            ) : count === 0 ? (
              <NoVariants url={url} task={task} all={funnel?.all ?? 0} />
            ) : (
              <VariantGrid
                rows={rows}
                count={count}
                columns={columns.data}
                url={url}
                isStale={variants.isPlaceholderData}
                onEnd={onEnd}
              />
            )}
          </div>
        </DrawerContentBody>
      </DrawerContent>
    </Drawer>
  );
}

/** Shows how many candidates exist and why they are hidden. */
function NoVariants({
  url,
  task,
  all,
}: {
  url: ReturnType<typeof useVariantUrl>;
  task: TabProps['task'];
  all: number;
}) {
  const { t } = useTranslation();
  const filtered = url.filters.length > 0 || url.q !== '';
  const waits = isUnfinished(task.status) && task.ingested.variants === 0;
  return (
    <EmptyState headingLevel="h3" titleText={waits ? t('variants.waits_title') : t('variants.none_title')} variant="sm">
      <EmptyStateBody>
        {!waits && all === 0 && <p>{t('table.no_data')}</p>}
        {waits
          ? t('variants.waits_body')
          : filtered
            ? t('variants.none_filtered')
            : all > 0
              ? t('variants.none_kept', { count: all })
              : t('variants.none_body')}
        {filtered && (
          <div>
            <Button variant="link" onClick={url.clearFilters}>
              {t('table.clear_filters')}
            </Button>
          </div>
        )}
        {!filtered && all > 0 && url.show !== 'all' && (
          <div>
            <Button variant="link" onClick={() => url.setShow('all')}>
              {t('variants.show_all')}
            </Button>
          </div>
        )}
      </EmptyStateBody>
    </EmptyState>
  );
}
