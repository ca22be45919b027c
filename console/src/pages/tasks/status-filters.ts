import { STAGES } from '@seqpanel/crds/step-contract.ts';
import { useTranslation } from 'react-i18next';
import { TASK_STATUSES } from '../../components/status-label.tsx';

/** Values that every list of tasks accepts from the URL for its two filters. */
export const STATUS_FILTERS = {
  status: { multiple: true, allowed: TASK_STATUSES },
  stage: { multiple: true, allowed: STAGES },
} as const;

/** Returns the two filters for the toolbar. */
export function useStatusFilters() {
  const { t } = useTranslation();
  return [
    {
      key: 'status',
      title: t('tasks.columns.status'),
      options: TASK_STATUSES.map((value) => ({ value, text: t(`common.task_status.${value}`) })),
    },
    {
      key: 'stage',
      title: t('tasks.columns.stage'),
      options: STAGES.map((value) => ({ value, text: t(`tasks.stage.${value}`) })),
    },
  ];
}
