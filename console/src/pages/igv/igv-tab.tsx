import { Alert, Flex, FlexItem } from '@patternfly/react-core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { ErrorState } from '../../components/error-state.tsx';
import { PageSkeleton } from '../../components/page-skeleton.tsx';
import { useIgvSources } from '../../queries/results.ts';
import { useTaskSamples } from '../../queries/tasks.ts';
import type { TabProps } from '../task-detail/tabs.ts';
import { SampleChoice } from '../task-detail/variants/sample-choice.tsx';

const IgvView = lazy(async () => ({ default: (await import('./igv-view.tsx')).IgvView }));

/** The reads of a sample in IGV (IGV-06). */
export function IgvTab({ group, task, refetchInterval }: TabProps) {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const samples = useTaskSamples(group, task.id, refetchInterval);
  const sample = params.get('sample') ?? samples.data?.results.find((row) => row.metrics_ready)?.name;
  const sources = useIgvSources(group, task.id, sample);
  const choose = (name: string) =>
    setParams((now) => {
      const next = new URLSearchParams(now);
      next.set('sample', name);
      next.delete('locus');
      return next;
    });
  return (
    <>
      <Flex>
        <FlexItem>
          <SampleChoice
            group={group}
            task={task.id}
            value={sample ?? ''}
            onChange={choose}
            refetchInterval={refetchInterval}
            required
          />
        </FlexItem>
        <FlexItem className="sp-second-line" translate="no">
          {sources.data?.genome}
        </FlexItem>
      </Flex>
      {!sample && samples.data && <Alert isInline component="p" variant="info" title={t('igv.waits')} />}
      {sources.error ? <ErrorState error={sources.error} onRetry={() => void sources.refetch()} /> : null}
      {sample && sources.isPending && <PageSkeleton />}
      {sources.data && (
        <Suspense fallback={<PageSkeleton />}>
          <IgvView
            key={sources.data.sample}
            sources={sources.data}
            locus={params.get('locus') ?? sources.data.locus ?? undefined}
          />
        </Suspense>
      )}
    </>
  );
}
