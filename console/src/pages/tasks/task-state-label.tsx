import { Label } from '@patternfly/react-core';
import ExclamationTriangleIcon from '@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon';
import { useTranslation } from 'react-i18next';
import { count } from '../../components/format.ts';
import { TaskStatusLabel } from '../../components/status-label.tsx';
import { isPartlyFailed } from '../../queries/sample-counts.ts';
import type { TaskRow } from '../../queries/tasks.ts';

/** Shows a task's status, with a warning if it completed with failed samples. */
export function TaskStateLabel({ task }: { task: Pick<TaskRow, 'status' | 'samples'> }) {
  const { t } = useTranslation();
  if (!isPartlyFailed(task)) return <TaskStatusLabel status={task.status} />;
  const { failed, total } = task.samples;
  return (
    <Label isCompact color="yellow" icon={<ExclamationTriangleIcon />}>
      {t('tasks.completed_partly', { failed: count(failed), total: count(total) })}
    </Label>
  );
}
