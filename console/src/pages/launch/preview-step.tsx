import {
  Alert,
  Content,
  DescriptionList,
  Form,
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
  TextInput,
} from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useTranslation } from 'react-i18next';
import { problemText } from '../../api/problem-text.ts';
import { ErrorAlert } from '../../components/error-state.tsx';
import { useLaunchCheck, usePanels, usePresets } from '../../queries/launch.ts';
import { useProjects } from '../../queries/projects.ts';
import { Fact } from '../task-detail/task-facts.tsx';
import { toRequest } from './draft-request.ts';
import type { StepProps } from './step-props.ts';

/** Step 4: preview of the run, its name and the notification emails (LAUNCH-41). */
export function PreviewStep({ group, draft, setDraft, problems }: StepProps) {
  const { t } = useTranslation();
  const active = draft.samples.filter((sample) => !sample.skipped);
  const project = useProjects(group).data?.results.find(({ id }) => id === draft.project);
  const panel = usePanels(group).data?.results.find(({ id }) => id === draft.panel);
  const preset = usePresets(group, panel?.value).data?.results.find(({ id }) => id === draft.preset);
  const check = useLaunchCheck(group, toRequest(draft));
  const known = new Set(problems.map((problem) => problem.code));
  const fromServer = (check.data?.problems ?? []).filter((problem) => !known.has(problem.code as never));
  const own = (field: string) => problems.filter((problem) => problem.field === field);
  const text = (problem: { code: string; message: string }) => problemText(t, { ...problem });
  const counts = {
    samples: t('launch.samples', { count: active.length }),
    pairs: toRequest(draft).pairs?.length ?? 0,
    normals: active.filter((sample) => sample.cnvNormal).length,
    ntc: active.filter((sample) => sample.qcType === 'NTC').length,
    pos: active.filter((sample) => sample.qcType === 'PosCtrl').length,
  };
  return (
    <>
      <Form className="sp-form" onSubmit={(event) => event.preventDefault()}>
        <FormGroup label={t('launch.run_name')} isRequired fieldId="run-name">
          <TextInput
            id="run-name"
            value={draft.runName}
            onChange={(_event, runName) => setDraft((now) => ({ ...now, runName }))}
            validated={draft.runName !== '' && own('run_name').length > 0 ? 'error' : 'default'}
            aria-describedby="run-name-help"
          />
          <FormHelperText id="run-name-help">
            <HelperText>
              {own('run_name').length > 0 && draft.runName !== '' ? (
                own('run_name').map((problem) => (
                  <HelperTextItem key={problem.code} variant="error">
                    {text(problem)}
                  </HelperTextItem>
                ))
              ) : (
                <HelperTextItem>{t('launch.run_name_help')}</HelperTextItem>
              )}
            </HelperText>
          </FormHelperText>
        </FormGroup>
        <FormGroup label={t('launch.notify')} fieldId="notify">
          <TextInput
            id="notify"
            value={draft.notify}
            onChange={(_event, notify) => setDraft((now) => ({ ...now, notify }))}
            validated={own('notify').length > 0 ? 'error' : 'default'}
            aria-describedby="notify-help"
          />
          <FormHelperText id="notify-help">
            <HelperText>
              {own('notify').length > 0 ? (
                <HelperTextItem variant="error">{own('notify').map(text).join(' ')}</HelperTextItem>
              ) : (
                <HelperTextItem>{t('launch.notify_help')}</HelperTextItem>
              )}
            </HelperText>
          </FormHelperText>
        </FormGroup>
      </Form>
      <Content component="h2">{t('launch.summary', { ...counts, panel: panel?.display_name ?? '' })}</Content>
      {counts.ntc === 0 && <Alert isInline isPlain component="p" variant="warning" title={t('launch.no_ntc')} />}
      {check.error ? <ErrorAlert error={check.error} onRetry={() => void check.refetch()} /> : null}
      {fromServer.map((problem) => (
        <Alert
          key={`${problem.code}${problem.sample ?? ''}`}
          isInline
          component="p"
          variant="danger"
          title={text(problem)}
        />
      ))}
      <DescriptionList isCompact columnModifier={{ default: '1Col', md: '3Col' }}>
        <Fact term={t('task_detail.project')}>{project?.name ?? '–'}</Fact>
        <Fact term={t('task_detail.panel')}>{panel ? `${panel.display_name} (${panel.value})` : '–'}</Fact>
        <Fact term={t('task_detail.preset')}>{preset?.name ?? t('launch.default_preset')}</Fact>
      </DescriptionList>
      <Table variant="compact" aria-label={t('task_detail.samples')}>
        <Thead>
          <Tr>
            {(['name', 'library', 'type', 'role', 'pair', 'cnv', 'tumor', 'files'] as const).map((column) => (
              <Th key={column} modifier="nowrap">
                {t(`launch.column.${column}`)}
              </Th>
            ))}
          </Tr>
        </Thead>
        <Tbody translate="no">
          {active.map((sample) => (
            <Tr key={sample.id}>
              <Th scope="row">{sample.name}</Th>
              <Td>{sample.libraryId}</Td>
              <Td>{sample.qcType}</Td>
              <Td>{t(`task_detail.role.${sample.role}`)}</Td>
              <Td>
                {draft.pairs
                  .filter((pair) => pair.tumor === sample.id || pair.normal === sample.id)
                  .map((pair) => pair.name)
                  .join(', ') || '–'}
              </Td>
              <Td>{sample.cnvNormal ? t('taskinfo.yes') : '–'}</Td>
              <Td>{sample.tumorContent || '–'}</Td>
              <Td>{sample.files.map((file) => file.name).join(', ')}</Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </>
  );
}
