import { ProgressStep, ProgressStepper } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Duration } from '../../components/duration.tsx';
import { useStepText } from '../../components/reason-text.ts';
import type { StageProgress, TaskDetail } from '../../queries/tasks.ts';

const LOOK = {
  Pending: 'pending',
  Running: 'info',
  Succeeded: 'success',
  Failed: 'danger',
  Skipped: 'pending',
  Aborted: 'warning',
} as const;

/** The five stages with their steps, duration and samples done. */
export function StageStrip({ stages, failures }: Pick<TaskDetail, 'stages' | 'failures'>) {
  const { t } = useTranslation();
  return (
    <ProgressStepper aria-label={t('task_detail.stages')} isCenterAligned>
      {stages.map((stage) => (
        <ProgressStep
          key={stage.name}
          id={`stage-${stage.name}`}
          titleId={`stage-${stage.name}-title`}
          variant={LOOK[stage.state]}
          isCurrent={stage.state === 'Running'}
          aria-label={`${t(`tasks.stage.${stage.name}`)}: ${t(`task_detail.state.${stage.state}`)}`}
          description={<StageText stage={stage} failures={failures} />}
        >
          {t(`tasks.stage.${stage.name}`)}
        </ProgressStep>
      ))}
    </ProgressStepper>
  );
}

function StageText({ stage, failures }: { stage: StageProgress; failures: TaskDetail['failures'] }) {
  const { t } = useTranslation();
  const stepText = useStepText(failures);
  const open = stage.steps.filter((step) => step.state === 'Running' || step.state === 'Failed');
  const ms =
    stage.started && stage.finished
      ? new Date(stage.finished).getTime() - new Date(stage.started).getTime()
      : undefined;
  return (
    <>
      <div>
        {t(`task_detail.state.${stage.state}`)}
        {ms === undefined ? null : (
          <>
            {' · '}
            <Duration ms={ms} />
          </>
        )}
      </div>
      {open.map((step) => (
        <div key={step.name}>
          <span translate="no">{step.name}</span>
          {step.samples && (step.samples.total ?? 0) > 1 ? ` ${step.samples.done ?? 0}/${step.samples.total}` : ''}
          {(step.attempt ?? 1) > 1 ? `, ${t('tasks.attempt', { n: step.attempt })}` : ''}
          {step.message ? `: ${stepText(step)}` : ''}
        </div>
      ))}
    </>
  );
}
