import { Alert } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useProfile } from '../queries/profile.ts';

/** A password that expires soon, with the way to change it. */
export function PasswordNotice() {
  const { t } = useTranslation();
  const { data: profile } = useProfile();
  if (!profile?.has_password) return null;
  const days = profile.password_expires_in_days;
  if (days === null) return null;
  return (
    <Alert
      isInline
      component="p"
      variant="warning"
      className="sp-no-print sp-notice"
      title={t('frame.password_expires', { count: days })}
      actionLinks={<Link to="/user-settings?tab=password">{t('frame.password_change')}</Link>}
    />
  );
}
