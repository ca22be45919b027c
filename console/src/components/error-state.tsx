import {
  Alert,
  AlertActionLink,
  Button,
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
  EmptyStateVariant,
  ExpandableSection,
} from '@patternfly/react-core';
import ExclamationCircleIcon from '@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon';
import { useTranslation } from 'react-i18next';
import { ApiError, isPermissionDenied } from '../api/api-error.ts';
import { fieldText, problemText } from '../api/problem-text.ts';
import { useErrorText } from '../hooks/use-error-text.ts';
import { CopyButton } from './copy-button.tsx';
import { utcTime } from './format.ts';
import { NotAllowed } from './not-allowed.tsx';

interface ErrorProps {
  error: unknown;
  /** The failed action ("The projects could not be loaded."). */
  title?: string;
  onRetry?: () => void;
}

/** Error shown instead of a page or table: what failed, what to do, ID to quote, details, retry. */
export function ErrorState({ error, title, onRetry }: ErrorProps) {
  const { t } = useTranslation();
  const text = useErrorText()(error);
  if (isPermissionDenied(error)) return <NotAllowed />;
  return (
    <EmptyState
      variant={EmptyStateVariant.sm}
      status="danger"
      icon={ExclamationCircleIcon}
      headingLevel="h2"
      titleText={title ?? text.title}
      role="alert"
    >
      <EmptyStateBody>
        <p>{title && text.isGeneric ? `${text.title}: ${text.message}` : text.message}</p>
        <ErrorDetails error={error} />
      </EmptyStateBody>
      {onRetry && (
        <EmptyStateFooter>
          <EmptyStateActions>
            <Button variant="primary" onClick={onRetry}>
              {t('common.retry')}
            </Button>
          </EmptyStateActions>
        </EmptyStateFooter>
      )}
    </EmptyState>
  );
}

/** Error of one section or card; the rest of the page stays usable. */
export function ErrorAlert({ error, title, onRetry }: ErrorProps) {
  const { t } = useTranslation();
  const text = useErrorText()(error);
  return (
    <Alert
      isInline
      component="p"
      variant="danger"
      title={title ?? text.message}
      actionLinks={onRetry && <AlertActionLink onClick={onRetry}>{t('common.retry')}</AlertActionLink>}
      role="alert"
    >
      {title && <p>{text.message}</p>}
      <ErrorDetails error={error} />
    </Alert>
  );
}

/** Broken rules, the ID to quote with its copy button, and details for support. */
export function ErrorDetails({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const text = useErrorText()(error);
  if (!(error instanceof ApiError)) return null;
  return (
    <>
      {error.problems.length > 0 && (
        <ul>
          {error.problems.slice(0, 20).map((problem) => (
            <li key={`${problem.field ?? ''}:${problem.message}`}>
              {problem.field
                ? t('common.labelled', { label: fieldText(t, problem.field), text: problemText(t, { ...problem }) })
                : problemText(t, { ...problem })}
            </li>
          ))}
        </ul>
      )}
      {text.id && (
        <div>
          {t('common.error_quote', { id: text.id })} <CopyButton text={text.id} what={t('common.error_copy_id')} />
        </div>
      )}
      <ExpandableSection toggleText={t('common.error_details')}>
        <p translate="no" className="sp-mono">
          {error.method} {error.path} {error.status || error.kind} {text.code ?? ''} {utcTime(error.time)} UTC
        </p>
        {text.detail && <p lang="en">{text.detail}</p>}
      </ExpandableSection>
    </>
  );
}
