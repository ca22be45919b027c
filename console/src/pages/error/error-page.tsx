import { PageSection } from '@patternfly/react-core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { NotAllowed } from '../../components/not-allowed.tsx';

/** /error: shown to users who may not open the system settings. */
export function ErrorPage() {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = `${t('errors.page.not_allowed_title')} · SeqPanel`;
  }, [t]);
  return (
    <PageSection hasBodyWrapper={false} isFilled>
      <NotAllowed />
    </PageSection>
  );
}
