import { Alert } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useGroup } from '../hooks/use-group.ts';
import { useProfile } from '../queries/profile.ts';

/** Notice of a password that expires soon, with a link to change it. */
export function PasswordNotice() {
  const { t } = useTranslation();
  const { data: profile } = useProfile();
  const { param } = useGroup();
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
      actionLinks={
        <Link to={`/user-settings?tab=password${param.replace('?', '&')}`}>{t('frame.password_change')}</Link>
      }
    />
  );
}
