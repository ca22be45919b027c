import { EmptyState, EmptyStateActions, EmptyStateBody, EmptyStateFooter, PageSection } from '@patternfly/react-core';
import PathMissingIcon from '@patternfly/react-icons/dist/esm/icons/path-missing-icon';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import { LinkButton } from '../../components/link-button.tsx';
import { nearestPath } from './nearest-path.ts';

/** Shown for an unknown path, with a link back to the dashboard. */
export function NotFoundPage() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const near = nearestPath(pathname);
  useEffect(() => {
    document.title = `${t('errors.page.not_found_title')} · SeqPanel`;
  }, [t]);
  return (
    <PageSection hasBodyWrapper={false} isFilled>
      <EmptyState icon={PathMissingIcon} headingLevel="h1" titleText={t('errors.page.not_found_title')}>
        <EmptyStateBody>
          <p>{t('errors.page.not_found_body', { path: pathname })}</p>
          {near && (
            <p>
              {t('errors.page.did_you_mean')} <Link to={near}>{near}</Link>
            </p>
          )}
        </EmptyStateBody>
        <EmptyStateFooter>
          <EmptyStateActions>
            <LinkButton variant="primary" to="/dashboard">
              {t('errors.page.to_dashboard')}
            </LinkButton>
          </EmptyStateActions>
        </EmptyStateFooter>
      </EmptyState>
    </PageSection>
  );
}
