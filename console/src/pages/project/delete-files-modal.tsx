import { useTranslation } from 'react-i18next';
import { ConfirmModal } from '../../components/confirm-modal.tsx';
import { fileSize } from '../../components/format.ts';
import { useNotify } from '../../hooks/use-notify.ts';
import { type ProjectFile, useDeleteFiles } from '../../queries/projects.ts';

interface DeleteFilesModalProps {
  group: string;
  project: string;
  files: ProjectFile[];
  onClose: () => void;
  onDeleted: () => void;
}

/** Asks before files of a project are deleted; names the first ten. */
export function DeleteFilesModal({ group, project, files, onClose, onDeleted }: DeleteFilesModalProps) {
  const { t } = useTranslation();
  const notify = useNotify();
  const remove = useDeleteFiles(group, project);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return (
    <ConfirmModal
      title={t('project.delete_files_title', { count: files.length })}
      action={t('project.delete_files', { count: files.length })}
      isBusy={remove.isPending}
      error={remove.error}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(
          files.map(({ id }) => id),
          {
            onSuccess: () => {
              notify.success(t('project.files_deleted', { count: files.length }));
              onDeleted();
              onClose();
            },
          },
        )
      }
    >
      <ul translate="no" style={{ overflowWrap: 'anywhere' }}>
        {files.slice(0, 10).map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
        {files.length > 10 && <li>…</li>}
      </ul>
      <p>{t('project.delete_files_goes', { size: fileSize(size) })}</p>
    </ConfirmModal>
  );
}
