import { useTranslation } from 'react-i18next';
import { ConfirmModal } from '../../components/confirm-modal.tsx';
import { gigabytes } from '../../components/format.ts';
import { useNotify } from '../../hooks/use-notify.ts';
import { type Project, useDeleteProject } from '../../queries/projects.ts';

/** Asks before a project is deleted; the name must be typed when the project has files. */
export function DeleteProjectModal(props: {
  group: string;
  project: Project;
  onClose: () => void;
  onDeleted?: () => void;
}) {
  const { group, project, onClose, onDeleted } = props;
  const { t } = useTranslation();
  const notify = useNotify();
  const remove = useDeleteProject(group);
  return (
    <ConfirmModal
      title={t('projects.delete_title', { name: project.name })}
      action={t('projects.delete')}
      isBusy={remove.isPending}
      error={remove.error}
      {...(project.files > 0 ? { typeToConfirm: project.name } : {})}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(project.id, {
          onSuccess: () => {
            notify.success(t('projects.deleted', { name: project.name }));
            onClose();
            onDeleted?.();
          },
        })
      }
    >
      <p>{t('projects.delete_goes', { count: project.files, size: gigabytes(project.size) })}</p>
      <p>{t('projects.delete_stays')}</p>
    </ConfirmModal>
  );
}
