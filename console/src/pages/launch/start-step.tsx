import {
  Button,
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
  Spinner,
} from '@patternfly/react-core';
import CheckCircleIcon from '@patternfly/react-icons/dist/esm/icons/check-circle-icon';
import ExclamationCircleIcon from '@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon';
import { useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorDetails } from '../../components/error-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { useErrorText } from '../../hooks/use-error-text.ts';
import { useLaunch } from '../../queries/launch.ts';
import { toRequest } from './draft-request.ts';
import type { StepProps } from './step-props.ts';

/** Step 5: sends the launch once, by the draft's key, and shows waiting, success or failure (LAUNCH-42 to 45). */
export function StartStep({
  group,
  groupParam,
  draft,
  onSent,
  onAnother,
}: StepProps & { onSent: () => void; onAnother: () => void }) {
  const { t } = useTranslation();
  const describe = useErrorText();
  const launch = useLaunch(group, onSent);
  const sent = useRef(false);
  const { mutate } = launch;
  const send = useCallback(() => mutate({ request: toRequest(draft), idempotencyKey: draft.key }), [mutate, draft]);
  useEffect(() => {
    if (sent.current) return;
    sent.current = true;
    send();
  }, [send]);
  const [task] = launch.data?.tasks ?? [];

  if (launch.error) {
    return (
      <EmptyState
        status="danger"
        icon={ExclamationCircleIcon}
        headingLevel="h2"
        titleText={t('launch.failed')}
        role="alert"
      >
        <EmptyStateBody>
          <p>{describe(launch.error).message}</p>
          <ErrorDetails error={launch.error} />
        </EmptyStateBody>
        <EmptyStateFooter>
          <EmptyStateActions>
            <Button variant="primary" onClick={send}>
              {t('launch.again')}
            </Button>
            <LinkButton variant="secondary" to={`/secondary-analysis/launch/preview${groupParam}`}>
              {t('launch.back_to_preview')}
            </LinkButton>
          </EmptyStateActions>
        </EmptyStateFooter>
      </EmptyState>
    );
  }
  if (!task) {
    return (
      <EmptyState icon={Spinner} headingLevel="h2" titleText={t('launch.waiting')}>
        <EmptyStateBody>{t('launch.waiting_body')}</EmptyStateBody>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      status="success"
      icon={CheckCircleIcon}
      headingLevel="h2"
      titleText={t('launch.success', { name: task.name })}
    >
      <EmptyStateBody>
        <span translate="no" className="sp-mono">
          {task.id}
        </span>
      </EmptyStateBody>
      <EmptyStateFooter>
        <EmptyStateActions>
          <LinkButton variant="primary" to={`/secondary-analysis/tasks/${task.id}${groupParam}`}>
            {t('launch.go_to_results')}
          </LinkButton>
          <Button variant="secondary" onClick={onAnother}>
            {t('launch.another')}
          </Button>
        </EmptyStateActions>
      </EmptyStateFooter>
    </EmptyState>
  );
}
