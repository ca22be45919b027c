import { Label, type LabelProps, Spinner } from '@patternfly/react-core';
import BanIcon from '@patternfly/react-icons/dist/esm/icons/ban-icon';
import CheckCircleIcon from '@patternfly/react-icons/dist/esm/icons/check-circle-icon';
import ClockIcon from '@patternfly/react-icons/dist/esm/icons/clock-icon';
import ExclamationCircleIcon from '@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon';
import ExclamationTriangleIcon from '@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon';
import InProgressIcon from '@patternfly/react-icons/dist/esm/icons/in-progress-icon';
import MinusCircleIcon from '@patternfly/react-icons/dist/esm/icons/minus-circle-icon';
import PauseCircleIcon from '@patternfly/react-icons/dist/esm/icons/pause-circle-icon';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

export const TASK_STATUSES = ['queued', 'starting', 'running', 'completed', 'aborted', 'failed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
export const QC_STATUSES = ['pass', 'warn', 'fail', 'not_assessed'] as const;
export type QcStatus = (typeof QC_STATUSES)[number];
export const UPLOAD_STATUSES = ['queued', 'uploading', 'paused', 'completed', 'failed', 'canceled'] as const;
export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

interface Look {
  color: LabelProps['color'];
  icon: ReactElement;
}

const spinner = <Spinner isInline aria-hidden />;

const TASK: Record<TaskStatus, Look> = {
  queued: { color: 'grey', icon: <ClockIcon /> },
  starting: { color: 'blue', icon: <InProgressIcon /> },
  running: { color: 'blue', icon: spinner },
  completed: { color: 'green', icon: <CheckCircleIcon /> },
  aborted: { color: 'grey', icon: <BanIcon /> },
  failed: { color: 'red', icon: <ExclamationCircleIcon /> },
};

const QC: Record<QcStatus, Look> = {
  pass: { color: 'green', icon: <CheckCircleIcon /> },
  warn: { color: 'yellow', icon: <ExclamationTriangleIcon /> },
  fail: { color: 'red', icon: <ExclamationCircleIcon /> },
  not_assessed: { color: 'grey', icon: <MinusCircleIcon /> },
};

const UPLOAD: Record<UploadStatus, Look> = {
  queued: { color: 'grey', icon: <ClockIcon /> },
  uploading: { color: 'blue', icon: spinner },
  paused: { color: 'yellow', icon: <PauseCircleIcon /> },
  completed: { color: 'green', icon: <CheckCircleIcon /> },
  failed: { color: 'red', icon: <ExclamationCircleIcon /> },
  canceled: { color: 'grey', icon: <BanIcon /> },
};

/** Shows a status as icon and word, never by colour alone. */
export function TaskStatusLabel({ status }: { status: TaskStatus }) {
  const { t } = useTranslation();
  return <Look look={TASK[status]} text={t(`common.task_status.${status}`)} />;
}

export function QcStatusLabel({ status }: { status: QcStatus }) {
  const { t } = useTranslation();
  return <Look look={QC[status]} text={t(`common.qc_status.${status}`)} />;
}

export function UploadStatusLabel({ status, text }: { status: UploadStatus; text?: string }) {
  const { t } = useTranslation();
  return <Look look={UPLOAD[status]} text={text ?? t(`common.upload_status.${status}`)} />;
}

function Look({ look, text }: { look: Look; text: string }) {
  return (
    <Label isCompact color={look.color} icon={look.icon}>
      {text}
    </Label>
  );
}
