import {
  Card,
  CardBody,
  CardTitle,
  DescriptionList,
  Form,
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
} from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../components/choice.tsx';
import { ErrorAlert } from '../../components/error-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { usePanels, usePresets } from '../../queries/launch.ts';
import { useProjects } from '../../queries/projects.ts';
import { Fact } from '../task-detail/task-facts.tsx';
import type { StepProps } from './step-props.ts';

/** Step 1: the project whose sample data files are analysed, the panel, and the parameters file. */
export function StartFromStep({ group, groupParam, draft, setDraft }: StepProps) {
  const { t } = useTranslation();
  const projects = useProjects(group);
  const panels = usePanels(group);
  // Lists only panels that can be launched (LAUNCH-06), no inactive ones.
  const offered = panels.data?.results.filter((panel) => panel.active && panel.valid && panel.ready);
  const panel = panels.data?.results.find(({ id }) => id === draft.panel);
  const presets = usePresets(group, panel?.value);
  return (
    <div className="sp-launch-columns">
      <Form className="sp-form" onSubmit={(event) => event.preventDefault()}>
        {projects.error ? (
          <ErrorAlert
            error={projects.error}
            title={t('projects.load_failed')}
            onRetry={() => void projects.refetch()}
          />
        ) : null}
        <FormGroup label={t('launch.project')} isRequired fieldId="launch-project">
          <Choice
            id="launch-project"
            label={t('launch.project')}
            value={draft.project}
            placeholder={t('launch.choose_project')}
            options={(projects.data?.results ?? []).map((project) => ({
              value: project.id,
              text: project.name,
              description: t('launch.project_files', { count: project.files }),
            }))}
            onChange={(project) =>
              setDraft((now) => (now.project === project ? now : { ...now, project, samples: [], pairs: [] }))
            }
          />
          <FormHelperText>
            <HelperText>
              <HelperTextItem>
                {projects.data?.results.length === 0 ? (
                  <LinkButton variant="link" isInline to={`/tools/projects${groupParam}`}>
                    {t('launch.no_project')}
                  </LinkButton>
                ) : (
                  t('launch.one_project')
                )}
              </HelperTextItem>
            </HelperText>
          </FormHelperText>
        </FormGroup>
        {panels.error ? (
          <ErrorAlert error={panels.error} title={t('launch.panels_failed')} onRetry={() => void panels.refetch()} />
        ) : null}
        <FormGroup label={t('launch.panel')} isRequired fieldId="launch-panel">
          <Choice
            id="launch-panel"
            label={t('launch.panel')}
            value={draft.panel}
            placeholder={t('launch.choose_panel')}
            options={(offered ?? []).map((each) => ({
              value: each.id,
              text: each.display_name,
              description: t('launch.panel_line', {
                value: each.value,
                count: each.amplicons,
                genome: each.genome,
              }),
            }))}
            onChange={(id) => setDraft((now) => ({ ...now, panel: id, preset: now.panel === id ? now.preset : '' }))}
          />
          {offered?.length === 0 && (
            <FormHelperText>
              <HelperText>
                <HelperTextItem variant="warning">{t('launch.no_panel')}</HelperTextItem>
              </HelperText>
            </FormHelperText>
          )}
        </FormGroup>
        {presets.error ? (
          <ErrorAlert error={presets.error} title={t('launch.presets_failed')} onRetry={() => void presets.refetch()} />
        ) : null}
        <FormGroup label={t('launch.preset')} fieldId="launch-preset">
          <Choice
            id="launch-preset"
            label={t('launch.preset')}
            value={draft.preset}
            isDisabled={!panel}
            placeholder={t('launch.default_preset')}
            options={[
              { value: '', text: t('launch.default_preset') },
              ...(presets.data?.results ?? []).map((preset) => ({
                value: preset.id,
                text: preset.name,
                description: t('launch.preset_line', { version: preset.version, owner: preset.owner }),
              })),
            ]}
            onChange={(preset) => setDraft((now) => ({ ...now, preset }))}
          />
        </FormGroup>
      </Form>
      {panel && (
        <Card isCompact>
          <CardTitle component="h2">{t('launch.what_it_does')}</CardTitle>
          <CardBody>
            <DescriptionList isCompact>
              <Fact term={t('launch.analyses')}>
                {panel.analysis_types
                  .map((type) => t(`launch.analysis.${type}` as never, { defaultValue: type }))
                  .join(', ')}
              </Fact>
              <Fact term={t('launch.amplicons')}>{panel.amplicons}</Fact>
              <Fact term={t('task_detail.genome')}>{panel.genome}</Fact>
              <Fact term={t('launch.accepts')}>{panel.bam_allowed ? 'FASTQ, BAM' : 'FASTQ'}</Fact>
              {panel.synthetic && <Fact term={t('launch.data')}>{t('task_detail.synthetic')}</Fact>}
            </DescriptionList>
          </CardBody>
        </Card>
      )}
    </div>
  );
}
