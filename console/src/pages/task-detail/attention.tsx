import { Alert, AlertActionLink, StackItem, Title } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { TaskSummary } from '../../queries/results.ts';
import { isUnfinished } from '../../queries/tasks.ts';
import { attentionText } from './attention-text.ts';
import { TABS, type TabProps } from './tabs.ts';

/** Items of a task that need attention, each with a link to its place. */
export function Attention({ summary, task, groupParam, onTab }: TabProps & { summary: TaskSummary }) {
  const { t } = useTranslation();
  if (summary.attention.length === 0) {
    return isUnfinished(task.status) ? null : (
      <StackItem>
        <Alert isInline component="p" isPlain variant="success" title={t('task_detail.nothing_waits')} />
      </StackItem>
    );
  }
  return (
    <StackItem>
      <Title headingLevel="h3" size="md">
        {t('task_detail.attention', { n: summary.attention.length })}
      </Title>
      {summary.attention.map((item) => {
        const tab = TABS.find((key) => key === item.tab);
        return (
          <Alert
            key={`${item.code}-${item.sample ?? ''}-${item.message}`}
            isInline
            component="p"
            isPlain
            variant={item.level}
            title={attentionText(t, item)}
            actionLinks={
              item.code === 'sample_failed' ? (
                <Link
                  to={`/secondary-analysis/tasks/${task.id}/logfile?sample=${encodeURIComponent(item.sample ?? '')}${groupParam.replace('?', '&')}`}
                >
                  {t('task_detail.open_log')}
                </Link>
              ) : (
                tab &&
                tab !== 'summary' && (
                  <AlertActionLink onClick={() => onTab(tab)}>{t(`task_detail.tab.${tab}`)}</AlertActionLink>
                )
              )
            }
          />
        );
      })}
    </StackItem>
  );
}
