import { STAGES } from '@seqpanel/crds/step-contract.ts';
import { useTranslation } from 'react-i18next';
import { TASK_STATUSES } from '../../components/status-label.tsx';

/** What a list of tasks takes from its URL for the two filters that every such list has. */
export const STATUS_FILTERS = {
  status: { multiple: true, allowed: TASK_STATUSES },
  stage: { multiple: true, allowed: STAGES },
} as const;

/** The two filters as the toolbar offers them. */
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
