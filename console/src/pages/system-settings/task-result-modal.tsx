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
import { type TaskResultDetail, useTaskResult } from '../../queries/admin.ts';
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
              <div className="sp-result-sample">
                <label htmlFor="result-sample">{t('system_tasks.sample')}</label>
                <FormSelect
                  id="result-sample"
                  aria-label={t('system_tasks.sample')}
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
              </div>
            )}
            {data.row.traceback !== null && <Log detail={data} />}
            <Result detail={data} />
            {data.row.traceback === null && <Log detail={data} />}
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

/** Failure reason and the end of the log; only the log for an attempt that did not fail. */
function Log({ detail: { row, log } }: { detail: TaskResultDetail }) {
  const { t } = useTranslation();
  const failed = row.traceback !== null;
  return (
    <section className="sp-result-part">
      <Title headingLevel="h2" size="md">
        {t(failed ? 'system_tasks.result_columns.traceback' : 'system_tasks.log')}
      </Title>
      {log || failed ? (
        <LogSnippet
          message={
            <Alert
              isInline
              isPlain
              component="p"
              variant={failed ? 'danger' : 'info'}
              title={<span translate="no">{row.traceback ?? log?.name ?? t('system_tasks.log_kept')}</span>}
            />
          }
          {...(log ? { logSnippet: log.text } : {})}
        />
      ) : (
        <p>{t('system_tasks.no_log')}</p>
      )}
    </section>
  );
}

function Result({ detail: { row, result } }: { detail: TaskResultDetail }) {
  const { t } = useTranslation();
  const text = JSON.stringify(result, null, 2);
  return (
    <section className="sp-result-part">
      <Title headingLevel="h2" size="md">
        {t('system_tasks.result_columns.result')}
      </Title>
      {result ? (
        <CodeBlock
          actions={
            <CodeBlockAction>
              <CopyButton text={text} what={t('system_tasks.copy_result')} />
            </CodeBlockAction>
          }
        >
          <CodeBlockCode>{text}</CodeBlockCode>
        </CodeBlock>
      ) : (
        <p>{t(row.hidden ? 'system_tasks.result_hidden' : 'system_tasks.no_result')}</p>
      )}
    </section>
  );
}
