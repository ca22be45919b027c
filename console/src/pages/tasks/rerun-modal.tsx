import {
  Alert,
  Button,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  ModalVariant,
  Skeleton,
} from '@patternfly/react-core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { problemText } from '../../api/problem-text.ts';
import { ErrorAlert, ErrorState } from '../../components/error-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { useNotify } from '../../hooks/use-notify.ts';
import { useRerunCheck, useRerunTask } from '../../queries/tasks.ts';
import { randomId } from '../../random-id.ts';

interface RerunModalProps {
  group: string;
  /** `?group=…` or ''. */
  groupParam: string;
  task: { id: string; name: string };
  onClose: () => void;
}

/** Reruns a task with earlier settings. Shows the server's checks, then the remaining choices. */
export function RerunModal({ group, groupParam, task, onClose }: RerunModalProps) {
  const { t } = useTranslation();
  const notify = useNotify();
  const navigate = useNavigate();
  const check = useRerunCheck(group, task.id);
  const rerun = useRerunTask(group);
  const [idempotencyKey] = useState(randomId);
  const presetChanged = check.data?.warnings.some(({ code }) => code === 'preset_updated') ?? false;
  const start = () =>
    rerun.mutate(
      { id: task.id, idempotencyKey, body: presetChanged ? { use_old_version: true } : {} },
      {
        onSuccess: ({ tasks }) => {
          onClose();
          notify.success(t('tasks.rerun_done', { name: task.name }), { section: 'tasks' });
          if (tasks[0]) void navigate(`/secondary-analysis/tasks/${tasks[0].id}${groupParam}`);
        },
      },
    );
  return (
    <Modal
      variant={ModalVariant.small}
      isOpen
      onClose={onClose}
      aria-label={t('tasks.rerun_title', { name: task.name })}
    >
      <ModalHeader title={t('tasks.rerun_title', { name: task.name })} />
      <ModalBody>
        {check.isPending && <Skeleton screenreaderText={t('tasks.rerun_checking')} />}
        {check.error ? <ErrorState error={check.error} onRetry={() => void check.refetch()} /> : null}
        {check.data?.refusal && (
          <Alert isInline component="p" variant="danger" title={problemText(t, check.data.refusal)} />
        )}
        {check.data?.warnings.map((warning) => (
          <Alert key={warning.code} isInline component="p" variant="warning" title={problemText(t, warning)} />
        ))}
        {check.data?.allowed && <p>{presetChanged ? t('tasks.rerun_old_body') : t('tasks.rerun_body')}</p>}
        {rerun.error ? <ErrorAlert error={rerun.error} /> : null}
      </ModalBody>
      <ModalFooter>
        {check.data?.allowed && (
          <Button
            variant="primary"
            isLoading={rerun.isPending}
            isAriaDisabled={rerun.isPending}
            onClick={() => !rerun.isPending && start()}
          >
            {presetChanged ? t('tasks.rerun_old') : t('tasks.rerun')}
          </Button>
        )}
        {check.data && (
          <LinkButton
            variant="secondary"
            to={`/secondary-analysis/launch/edit-definition?from=${task.id}${groupParam.replace('?', '&')}`}
          >
            {t('tasks.rerun_edit')}
          </LinkButton>
        )}
        <Button variant="link" onClick={onClose}>
          {t('common.cancel')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
