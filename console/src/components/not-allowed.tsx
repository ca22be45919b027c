import { EmptyState, EmptyStateActions, EmptyStateBody, EmptyStateFooter } from '@patternfly/react-core';
import LockIcon from '@patternfly/react-icons/dist/esm/icons/lock-icon';
import { useTranslation } from 'react-i18next';
import { LinkButton } from './link-button.tsx';

/** Shown for a page or call that the user's role does not allow; the session stays. */
export function NotAllowed() {
  const { t } = useTranslation();
  return (
    <EmptyState icon={LockIcon} headingLevel="h1" titleText={t('errors.page.not_allowed_title')}>
      <EmptyStateBody>{t('errors.page.not_allowed_body')}</EmptyStateBody>
      <EmptyStateFooter>
        <EmptyStateActions>
          <LinkButton variant="primary" to="/dashboard">
            {t('errors.page.to_dashboard')}
          </LinkButton>
        </EmptyStateActions>
      </EmptyStateFooter>
    </EmptyState>
  );
}
