import { PageSection, Tab, Tabs, TabTitleText } from '@patternfly/react-core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { LiveLabel } from '../../components/live-label.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageSkeleton } from '../../components/page-skeleton.tsx';
import { useLive } from '../../hooks/use-live.ts';
import { useAdminEvents } from '../../queries/admin.ts';
import { useUpdatedAt } from './use-updated-at.ts';
import './system-tasks.css';
import '../tasks/tasks.css';

const TABS = ['tasks', 'workers', 'results'] as const;
type TabKey = (typeof TABS)[number];

const BODY = {
  tasks: lazy(async () => ({ default: (await import('./all-tasks-tab.tsx')).AllTasksTab })),
  workers: lazy(async () => ({ default: (await import('./workers-tab.tsx')).WorkersTab })),
  results: lazy(async () => ({ default: (await import('./task-results-tab.tsx')).TaskResultsTab })),
};

/** /system-settings/tasks: tasks of all groups, workers, and the result of each step. */
export function SystemTasksPage() {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const { state, refetchInterval } = useLive({ onEvent: useAdminEvents() });
  const updatedAt = useUpdatedAt();
  const tab = TABS.find((key) => key === params.get('tab')) ?? 'tasks';
  // Each tab has its own list, so only the chosen group is kept.
  const choose = (key: TabKey) =>
    setParams((now) => {
      const next = new URLSearchParams();
      const group = now.get('group');
      if (group) next.set('group', group);
      if (key !== 'tasks') next.set('tab', key);
      return next;
    });
  const Body = BODY[tab];
  return (
    <>
      <PageHeader
        title={t('system_tasks.title')}
        purpose={t('system_tasks.purpose')}
        beside={<LiveLabel state={state} updatedAt={updatedAt} />}
      />
      <PageSection hasBodyWrapper={false} type="tabs">
        <Tabs
          activeKey={tab}
          onSelect={(_event, key) => choose(key as TabKey)}
          aria-label={t('system_tasks.title')}
          usePageInsets
        >
          {TABS.map((key) => (
            <Tab
              key={key}
              eventKey={key}
              tabContentId={`system-tab-${key}`}
              title={<TabTitleText>{t(`system_tasks.tab.${key}`)}</TabTitleText>}
            />
          ))}
        </Tabs>
      </PageSection>
      <PageSection
        hasBodyWrapper={false}
        isFilled
        id={`system-tab-${tab}`}
        role="tabpanel"
        aria-label={t(`system_tasks.tab.${tab}`)}
      >
        <Suspense fallback={<PageSkeleton />}>
          <Body refetchInterval={refetchInterval} />
        </Suspense>
      </PageSection>
    </>
  );
}
