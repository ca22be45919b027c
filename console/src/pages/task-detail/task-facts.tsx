import '../tasks/tasks.css';
import {
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  ExpandableSection,
  Label,
} from '@patternfly/react-core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Duration } from '../../components/duration.tsx';
import { LongName } from '../../components/long-name.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import type { TaskDetail } from '../../queries/tasks.ts';

/** Facts of the run: the important ones visible, the rest on demand (TASK-06). */
export function TaskFacts({ task }: { task: TaskDetail }) {
  const { t } = useTranslation();
  const [isExpanded, setExpanded] = useState(false);
  return (
    <>
      <Facts>
        <Fact term={t('task_detail.stage')}>
          {task.stage ? `${t(`tasks.stage.${task.stage}`)} (${t('tasks.stage_of', { n: task.stage_number })})` : '–'}
        </Fact>
        <Fact term={t('task_detail.panel')}>
          <span translate="no">
            {task.panel.name} ({task.panel.value})
          </span>{' '}
          {task.panel.synthetic && (
            <Label isCompact color="purple">
              {t('task_detail.synthetic')}
            </Label>
          )}
        </Fact>
        <Fact term={t('task_detail.preset')}>
          <span translate="no">
            {task.preset.name}
            {task.preset.version ? `@${task.preset.version}` : ''}
          </span>
        </Fact>
        <Fact term={t('task_detail.pipeline')}>
          <span translate="no">{task.pipeline.name}</span>
        </Fact>
        <Fact term={t('task_detail.user')}>{task.user ?? t('tasks.external')}</Fact>
        <Fact term={t('task_detail.duration')}>
          <Duration ms={task.duration_seconds === null ? null : task.duration_seconds * 1000} />
        </Fact>
      </Facts>
      <ExpandableSection
        toggleText={t('task_detail.details')}
        isExpanded={isExpanded}
        onToggle={(_event, next) => setExpanded(next)}
      >
        <Facts>
          <Fact term={t('tasks.columns.id')}>
            <span className="sp-mono">{task.id}</span>
          </Fact>
          <Fact term={t('task_detail.created')}>
            <Timestamp value={task.date} />
          </Fact>
          <Fact term={t('task_detail.finished')}>
            <Timestamp value={task.finished} />
          </Fact>
          <Fact term={t('task_detail.genome')}>{task.genome}</Fact>
          <Fact term={t('task_detail.source')}>{t(`task_detail.source_of.${task.source}`)}</Fact>
          <Fact term={t('task_detail.project')}>
            <LongName name={task.project.name} />
          </Fact>
          <Fact term={t('task_detail.files')}>{task.input_files}</Fact>
          <Fact term={t('task_detail.email')}>{task.email.join(', ') || '–'}</Fact>
        </Facts>
      </ExpandableSection>
    </>
  );
}

/** Pairs of term and value side by side, so that the results stay in view. */
function Facts({ children }: { children: ReactNode }) {
  return (
    <DescriptionList isCompact isHorizontal className="sp-facts">
      {children}
    </DescriptionList>
  );
}

export function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <DescriptionListGroup>
      <DescriptionListTerm>{term}</DescriptionListTerm>
      <DescriptionListDescription>{children}</DescriptionListDescription>
    </DescriptionListGroup>
  );
}
