import { useTranslation } from 'react-i18next';
import { ConfirmModal } from '../../components/confirm-modal.tsx';
import { useNotify } from '../../hooks/use-notify.ts';
import { useAbortTask } from '../../queries/tasks.ts';

/** Asks before a task is stopped. */
export function AbortModal({
  group,
  task,
  onClose,
}: {
  /** Undefined in the admin's list of all groups. */
  group: string | undefined;
  task: { id: string; name: string };
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const notify = useNotify();
  const abort = useAbortTask(group);
  return (
    <ConfirmModal
      title={t('tasks.abort_title', { name: task.name })}
      action={t('tasks.abort')}
      isBusy={abort.isPending}
      error={abort.error}
      onCancel={onClose}
      onConfirm={() =>
        abort.mutate(task.id, {
          onSuccess: () => {
            notify.success(t('tasks.abort_done', { name: task.name }));
            onClose();
          },
        })
      }
    >
      <p>{t('tasks.abort_body')}</p>
    </ConfirmModal>
  );
}
