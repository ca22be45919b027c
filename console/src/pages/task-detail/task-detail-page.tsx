import { Button, PageSection, Tab, Tabs, TabTitleText } from '@patternfly/react-core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams, useSearchParams } from 'react-router-dom';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { LiveLabel } from '../../components/live-label.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageSkeleton } from '../../components/page-skeleton.tsx';
import { TaskStatusLabel } from '../../components/status-label.tsx';
import { useGroup } from '../../hooks/use-group.ts';
import { useLive } from '../../hooks/use-live.ts';
import { useRecent } from '../../hooks/use-recent.ts';
import { isUnfinished, useTask, useTaskEvents } from '../../queries/tasks.ts';
import { AbortModal } from '../tasks/abort-modal.tsx';
import { RerunModal } from '../tasks/rerun-modal.tsx';
import { SummaryTab } from './summary-tab.tsx';
import { TABS, type TabKey, type TabProps } from './tabs.ts';
import { TaskFacts } from './task-facts.tsx';

const VariantsTab = lazy(async () => ({ default: (await import('./variants/variants-tab.tsx')).VariantsTab }));
const QcTab = lazy(async () => ({ default: (await import('./qc-tab.tsx')).QcTab }));
const IgvTab = lazy(async () => ({ default: (await import('../igv/igv-tab.tsx')).IgvTab }));

/** /secondary-analysis/tasks/{id}: one run, its progress and its results. */
export function TaskDetailPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const group = useGroup();
  const [params, setParams] = useSearchParams();
  const [asked, setAsked] = useState<'abort' | 'rerun'>();
  const [unfinished, setUnfinished] = useState(true);
  const { state, refetchInterval } = useLive({ onEvent: useTaskEvents(group.id), isUnfinished: unfinished });
  const query = useTask(group.id, id, refetchInterval);
  const task = query.data;
  useRecent('task', group.id, `/secondary-analysis/tasks/${id}${group.param}`, task?.name);
  if (task && isUnfinished(task.status) !== unfinished) setUnfinished(isUnfinished(task.status));

  if (query.error)
    return <ErrorState error={query.error} title={t('task_detail.load_failed')} onRetry={() => void query.refetch()} />;
  if (!task) return <PageSkeleton />;

  const tab = TABS.find((key) => key === params.get('tab')) ?? 'summary';
  const choose = (key: TabKey) =>
    setParams((now) => {
      const next = new URLSearchParams();
      for (const kept of ['group', 'sample']) if (now.get(kept)) next.set(kept, now.get(kept)!);
      if (key !== 'summary') next.set('tab', key);
      return next;
    });
  const link = (name: string) => `/secondary-analysis/tasks/${id}/${name}${group.param}`;
  return (
    <>
      <PageHeader
        title={task.name}
        breadcrumb={[{ text: t('tasks.title'), to: `/secondary-analysis/tasks${group.param}` }]}
        beside={
          <>
            <TaskStatusLabel status={task.status} />
            {unfinished && <LiveLabel state={state} updatedAt={query.dataUpdatedAt} />}
            <CopyButton text={task.id} what={t('tasks.copy_id')} />
          </>
        }
        actions={
          <>
            <LinkButton variant="link" to={link('logfile')}>
              {t('task_detail.logfile')}
            </LinkButton>
            <LinkButton variant="link" to={link('output')}>
              {t('task_detail.output')}
            </LinkButton>
            <LinkButton variant="link" to={link('taskinfo')}>
              {t('task_detail.taskinfo')}
            </LinkButton>
            <Button
              variant="secondary"
              isAriaDisabled={!task.can_abort}
              {...(task.can_abort ? {} : { title: t('tasks.abort_not_now') })}
              onClick={() => task.can_abort && setAsked('abort')}
            >
              {t('tasks.abort_short')}
            </Button>
            <Button
              variant="secondary"
              isAriaDisabled={!task.can_rerun}
              {...(task.can_rerun ? {} : { title: t('tasks.rerun_unfinished') })}
              onClick={() => task.can_rerun && setAsked('rerun')}
            >
              {t('tasks.rerun')}
            </Button>
          </>
        }
      >
        <TaskFacts task={task} />
      </PageHeader>
      <PageSection hasBodyWrapper={false} type="tabs">
        <Tabs
          activeKey={tab}
          onSelect={(_event, key) => choose(key as TabKey)}
          aria-label={t('task_detail.tabs')}
          usePageInsets
        >
          {TABS.map((key) => (
            <Tab
              key={key}
              eventKey={key}
              tabContentId={`task-tab-${key}`}
              title={<TabTitleText>{t(`task_detail.tab.${key}`)}</TabTitleText>}
            />
          ))}
        </Tabs>
      </PageSection>
      <PageSection
        hasBodyWrapper={false}
        isFilled
        id={`task-tab-${tab}`}
        role="tabpanel"
        aria-label={t(`task_detail.tab.${tab}`)}
      >
        <Suspense fallback={<PageSkeleton />}>
          <TabBody
            tab={tab}
            group={group.id}
            groupParam={group.param}
            task={task}
            refetchInterval={refetchInterval}
            onTab={choose}
          />
        </Suspense>
      </PageSection>
      {asked === 'abort' && <AbortModal group={group.id} task={task} onClose={() => setAsked(undefined)} />}
      {asked === 'rerun' && (
        <RerunModal group={group.id} groupParam={group.param} task={task} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

function TabBody({ tab, ...props }: TabProps & { tab: TabKey }) {
  switch (tab) {
    case 'variants':
      return <VariantsTab {...props} />;
    case 'qc':
      return <QcTab {...props} />;
    case 'igv':
      return <IgvTab {...props} />;
    default:
      return <SummaryTab {...props} />;
  }
}
