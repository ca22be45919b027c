import { Button, Form, Modal, ModalBody, ModalFooter, ModalHeader, ModalVariant } from '@patternfly/react-core';
import { NAME_MAX, projectNameProblem } from '@seqpanel/crds/account-rules.ts';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../../components/error-state.tsx';
import { FORM_MODE, TextField } from '../../components/form-fields.tsx';
import { useNotify } from '../../hooks/use-notify.ts';
import { type Project, useCreateProject, useRenameProject } from '../../queries/projects.ts';

interface ProjectNameModalProps {
  group: string;
  /** The names that are in use. */
  taken: Project[];
  /** The project to rename; without it one is added. */
  project?: Project;
  onClose: () => void;
}

/** Adds or renames a project; the form shows the api's refusals too. */
export function ProjectNameModal({ group, taken, project, onClose }: ProjectNameModalProps) {
  const { t } = useTranslation();
  const notify = useNotify();
  const create = useCreateProject(group);
  const rename = useRenameProject(group);
  const form = useForm({ ...FORM_MODE, defaultValues: { name: project?.name ?? '' } });
  const error = create.error ?? rename.error;
  const isBusy = create.isPending || rename.isPending;

  const submit = form.handleSubmit(async ({ name }) => {
    try {
      if (project) await rename.mutateAsync({ id: project.id, name });
      else await create.mutateAsync(name);
      notify.success(t(project ? 'projects.renamed' : 'projects.created', { name }));
      onClose();
    } catch {
      // The form shows the error.
    }
  });

  const check = (name: string) => {
    const problem = projectNameProblem(name);
    if (problem) return t(`errors.codes.${problem}`, { max: NAME_MAX });
    if (name === project?.name) return t('errors.codes.project_same_name');
    if (taken.some((other) => other.name === name)) return t('errors.codes.project_name_exists');
    return true;
  };

  return (
    <Modal isOpen variant={ModalVariant.small} onClose={onClose} aria-labelledby="project-name-title">
      <ModalHeader
        title={project ? t('projects.rename_title', { name: project.name }) : t('projects.add')}
        labelId="project-name-title"
      />
      <ModalBody>
        <Form id="project-name-form" onSubmit={(event) => void submit(event)} noValidate>
          {error && (
            <ErrorAlert error={error} title={t(project ? 'projects.rename_failed' : 'projects.create_failed')} />
          )}
          <TextField
            form={form}
            name="name"
            label={t('projects.name')}
            isRequired
            help={t('projects.name_help')}
            rules={{ required: t('errors.codes.name_required'), validate: check }}
            input={{ autoFocus: true, autoComplete: 'off', spellCheck: false, maxLength: 200 }}
          />
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button type="submit" form="project-name-form" variant="primary" isLoading={isBusy} isAriaDisabled={isBusy}>
          {project ? t('projects.rename') : t('projects.add')}
        </Button>
        <Button variant="link" onClick={onClose}>
          {t('common.cancel')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
