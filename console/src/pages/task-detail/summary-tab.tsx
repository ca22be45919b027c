import { Alert, Stack, StackItem, Title } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { ErrorAlert } from '../../components/error-state.tsx';
import { PageSkeleton } from '../../components/page-skeleton.tsx';
import { useReasonText } from '../../components/reason-text.ts';
import { useTaskSummary } from '../../queries/results.ts';
import { sampleCounts } from '../../queries/sample-counts.ts';
import { isUnfinished } from '../../queries/tasks.ts';
import { Attention } from './attention.tsx';
import { Pairs } from './pairs.tsx';
import { Provenance } from './provenance.tsx';
import { SampleTable } from './sample-table.tsx';
import { StageStrip } from './stage-strip.tsx';
import type { TabProps } from './tabs.ts';
import { verdict } from './verdict.ts';

/** First page of a task: verdict, items that need attention, progress. */
export function SummaryTab(props: TabProps) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const { task, group, groupParam } = props;
  const summary = useTaskSummary(group, task.id, props.refetchInterval);
  const counts = sampleCounts(task);
  const logfile = `/secondary-analysis/tasks/${task.id}/logfile${groupParam}`;
  return (
    <Stack hasGutter>
      {task.status === 'failed' && (
        <StackItem>
          <Alert
            isInline
            component="p"
            variant="danger"
            title={reasonText(task) ?? t('task_detail.failed')}
            actionLinks={<Link to={logfile}>{t('task_detail.open_log')}</Link>}
          />
        </StackItem>
      )}
      {isUnfinished(task.status) && counts.done + counts.failed > 0 && (
        <StackItem>
          <Alert
            isInline
            component="p"
            variant="info"
            title={t('task_detail.partial', {
              done: counts.done,
              count: counts.total,
              failed: counts.failed,
            })}
          />
        </StackItem>
      )}
      <StackItem>
        {summary.error ? <ErrorAlert error={summary.error} onRetry={() => void summary.refetch()} /> : null}
        {summary.data && (
          <Title headingLevel="h2" size="lg">
            {verdict(t, task, summary.data)}
          </Title>
        )}
      </StackItem>
      <StackItem>
        <StageStrip stages={task.stages} failures={task.failures} />
      </StackItem>
      {summary.isPending && <PageSkeleton />}
      {summary.data && <Attention summary={summary.data} {...props} />}
      {summary.data && summary.data.pairs.length > 0 && <Pairs summary={summary.data} {...props} />}
      <StackItem>
        <SampleTable {...props} />
      </StackItem>
      {summary.data && summary.data.provenance.tools.length > 0 && (
        <StackItem>
          <Provenance summary={summary.data} />
        </StackItem>
      )}
    </Stack>
  );
}
