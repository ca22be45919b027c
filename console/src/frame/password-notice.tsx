import { Alert } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useProfile } from '../queries/profile.ts';

/** A one-time password, or one that ends soon, with the way to change it (SPEC 8). */
export function PasswordNotice() {
  const { t } = useTranslation();
  const { data: profile } = useProfile();
  if (!profile?.has_password) return null;
  const days = profile.password_expires_in_days;
  if (!profile.must_change_password && days === null) return null;
  return (
    <Alert
      isInline
      component="p"
      variant="warning"
      className="sp-no-print sp-notice"
      title={
        profile.must_change_password ? t('frame.password_one_time') : t('frame.password_expires', { days: days ?? 0 })
      }
      actionLinks={<Link to="/user-settings?tab=password">{t('frame.password_change')}</Link>}
    />
  );
}
