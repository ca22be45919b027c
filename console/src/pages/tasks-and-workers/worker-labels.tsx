import { Label, type LabelProps } from '@patternfly/react-core';
import CheckCircleIcon from '@patternfly/react-icons/dist/esm/icons/check-circle-icon';
import ExclamationTriangleIcon from '@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon';
import InProgressIcon from '@patternfly/react-icons/dist/esm/icons/in-progress-icon';
import MinusCircleIcon from '@patternfly/react-icons/dist/esm/icons/minus-circle-icon';
import OutlinedQuestionCircleIcon from '@patternfly/react-icons/dist/esm/icons/outlined-question-circle-icon';
import PauseCircleIcon from '@patternfly/react-icons/dist/esm/icons/pause-circle-icon';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Timestamp } from '../../components/timestamp.tsx';
import type { Worker } from '../../queries/admin.ts';

/** States written by the operator. A provider's own states are shown unchanged. */
const STATES = [
  'Pending',
  'Provisioning',
  'Provisioned',
  'Running',
  'Ready',
  'NotReady',
  'Cordoned',
  'Removing',
  'Deleting',
  'Lost',
  'Failed',
  'Unknown',
] as const;
type State = (typeof STATES)[number];

const coming = { color: 'blue', icon: <InProgressIcon /> } as const;
const good = { color: 'green', icon: <CheckCircleIcon /> } as const;
const going = { color: 'grey', icon: <PauseCircleIcon /> } as const;
const bad = { color: 'orange', icon: <ExclamationTriangleIcon /> } as const;
const LOOKS: Record<State, { color: NonNullable<LabelProps['color']>; icon: ReactElement }> = {
  Pending: coming,
  Provisioning: coming,
  Provisioned: coming,
  Running: good,
  Ready: good,
  NotReady: bad,
  Cordoned: going,
  Removing: going,
  Deleting: going,
  Lost: bad,
  Failed: bad,
  Unknown: { color: 'grey', icon: <OutlinedQuestionCircleIcon /> },
};

/** Shows a cloud or register status as icon and word. */
export function WorkerStateLabel({ state }: { state: string | null }) {
  const { t } = useTranslation();
  if (state === null) return <span>–</span>;
  const known = STATES.find((candidate) => candidate === state);
  if (!known) return <Label isCompact>{state}</Label>;
  return (
    <Label isCompact color={LOOKS[known].color} icon={LOOKS[known].icon}>
      {t(`system_tasks.state.${known}`)}
    </Label>
  );
}

/** Shows the register status, or the time of removal of a removed worker. */
export function RegisterState({ worker }: { worker: Worker }) {
  const { t } = useTranslation();
  if (worker.gone === null) return <WorkerStateLabel state={worker.register_status} />;
  return (
    <>
      <Label isCompact color="grey" icon={<MinusCircleIcon />}>
        {t('system_tasks.gone')}
      </Label>
      <div className="sp-second-line">
        <Timestamp value={worker.gone} />
      </div>
    </>
  );
}
