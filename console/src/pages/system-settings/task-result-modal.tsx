import { LogSnippet } from '@patternfly/react-component-groups/dist/dynamic/LogSnippet';
import {
  Alert,
  Button,
  CodeBlock,
  CodeBlockAction,
  CodeBlockCode,
  FormSelect,
  FormSelectOption,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  ModalVariant,
  Title,
} from '@patternfly/react-core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageSkeleton } from '../../components/page-skeleton.tsx';
import { useTaskResult } from '../../queries/admin.ts';
import { StepStateLabel } from './step-state-label.tsx';

/** One task result: result.json and the end of the log, read from storage when it is opened. */
export function TaskResultModal({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string>();
  const { data, error, refetch } = useTaskResult(id, chosen);
  const title = data
    ? t('system_tasks.result_title', {
        step: data.row.meta.step,
        attempt: data.row.meta.attempt,
        task: data.row.meta.task,
      })
    : t('system_tasks.result_loading');
  return (
    <Modal variant={ModalVariant.large} isOpen onClose={onClose} aria-labelledby="result-title">
      <ModalHeader
        title={title}
        labelId="result-title"
        {...(data ? { description: <StepStateLabel state={data.row.status} /> } : {})}
      />
      <ModalBody tabIndex={0}>
        {error ? (
          <ErrorState error={error} title={t('system_tasks.result_failed')} onRetry={() => void refetch()} />
        ) : null}
        {!data && !error && <PageSkeleton />}
        {data && !error && (
          <>
            {data.samples.length > 0 && (
              <FormSelect
                aria-label={t('system_tasks.sample')}
                className="sp-result-sample"
                value={data.sample ?? ''}
                onChange={(_event, value) => setChosen(value)}
              >
                {data.samples.map(({ name, failed }) => (
                  <FormSelectOption
                    key={name}
                    value={name}
                    label={failed ? t('system_tasks.sample_failed', { name }) : name}
                  />
                ))}
              </FormSelect>
            )}
            <Title headingLevel="h2" size="md">
              {t('system_tasks.result_columns.traceback')}
            </Title>
            {data.log || data.row.traceback ? (
              <LogSnippet
                message={
                  <Alert
                    isInline
                    isPlain
                    component="p"
                    variant={data.row.traceback ? 'danger' : 'info'}
                    title={data.row.traceback ?? data.log?.name ?? t('system_tasks.log_kept')}
                  />
                }
                {...(data.log ? { logSnippet: data.log.text } : {})}
              />
            ) : (
              <p>{t('system_tasks.no_log')}</p>
            )}
            <Title headingLevel="h2" size="md" className="sp-result-title">
              {t('system_tasks.result_columns.result')}
            </Title>
            {data.result ? (
              <CodeBlock
                actions={
                  <CodeBlockAction>
                    <CopyButton text={JSON.stringify(data.result, null, 2)} what={t('system_tasks.copy_result')} />
                  </CodeBlockAction>
                }
              >
                <CodeBlockCode>{JSON.stringify(data.result, null, 2)}</CodeBlockCode>
              </CodeBlock>
            ) : (
              <p>{t(data.row.hidden ? 'system_tasks.result_hidden' : 'system_tasks.no_result')}</p>
            )}
          </>
        )}
      </ModalBody>
      <ModalFooter>
        <Button variant="primary" onClick={onClose}>
          {t('common.close')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
