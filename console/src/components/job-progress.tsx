import { Alert, Button, Progress, ProgressSize } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { cancelJob, type Job, useJob } from '../queries/jobs.ts';
import { ErrorAlert } from './error-state.tsx';

interface JobProgressProps {
  /** Undefined for work on the installation. */
  group: string | undefined;
  id: string;
  /** What is done, for example "Deleting the results". */
  title: string;
  /** Shown when it has completed. */
  children?: (job: Job) => ReactNode;
}

/** How far a job is, a button that stops it, and what came of it. */
export function JobProgress({ group, id, title, children }: JobProgressProps) {
  const { t } = useTranslation();
  const { data: job, error } = useJob(group, id);
  const cancel = useMutation({ mutationFn: () => cancelJob(group, id) });
  if (error) return <ErrorAlert error={error} />;
  if (job?.state === 'completed')
    return children?.(job) ?? <Alert isInline variant="success" title={t('jobs.completed', { title })} />;
  if (job?.state === 'canceled') return <Alert isInline variant="info" title={t('jobs.canceled', { title })} />;
  if (job?.state === 'failed')
    return (
      <Alert isInline variant="danger" title={t('jobs.failed', { title })}>
        {job.error}
      </Alert>
    );
  const { done = 0, total = null } = job ?? {};
  return (
    <>
      <Progress
        title={title}
        size={ProgressSize.sm}
        value={total ? Math.min(100, (100 * done) / total) : 0}
        label={total === null ? t('jobs.working') : undefined}
      />
      <Button variant="link" isInline isDisabled={cancel.isPending || cancel.isSuccess} onClick={() => cancel.mutate()}>
        {t('jobs.cancel')}
      </Button>
      {cancel.error && <ErrorAlert error={cancel.error} />}
    </>
  );
}
