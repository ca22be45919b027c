import { Label, type LabelProps, Spinner } from '@patternfly/react-core';
import BanIcon from '@patternfly/react-icons/dist/esm/icons/ban-icon';
import CheckCircleIcon from '@patternfly/react-icons/dist/esm/icons/check-circle-icon';
import ExclamationCircleIcon from '@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon';
import MinusCircleIcon from '@patternfly/react-icons/dist/esm/icons/minus-circle-icon';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskResultRow } from '../../queries/admin.ts';

/** States of an attempt. A pending attempt does not exist yet. */
export const STEP_STATES = ['Running', 'Succeeded', 'Failed', 'Skipped', 'Aborted'] as const;

const LOOKS: Record<TaskResultRow['status'], { color: NonNullable<LabelProps['color']>; icon: ReactElement }> = {
  Pending: { color: 'grey', icon: <MinusCircleIcon /> },
  Running: { color: 'blue', icon: <Spinner isInline aria-hidden /> },
  Succeeded: { color: 'green', icon: <CheckCircleIcon /> },
  Failed: { color: 'red', icon: <ExclamationCircleIcon /> },
  Skipped: { color: 'grey', icon: <MinusCircleIcon /> },
  Aborted: { color: 'grey', icon: <BanIcon /> },
};

/** Shows the state of a step's attempt as icon and word. */
export function StepStateLabel({ state }: { state: TaskResultRow['status'] }) {
  const { t } = useTranslation();
  return (
    <Label isCompact color={LOOKS[state].color} icon={LOOKS[state].icon}>
      {t(`system_tasks.step_state.${state}`)}
    </Label>
  );
}
