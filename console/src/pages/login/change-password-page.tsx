import { Alert, Button, LoginPage as LoginLayout } from '@patternfly/react-core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { ErrorState } from '../../components/error-state.tsx';
import { IdleGuard } from '../../frame/idle-guard.tsx';
import { LanguageSwitch } from '../../frame/language-switch.tsx';
import { logout } from '../../queries/auth.ts';
import { useProfile } from '../../queries/profile.ts';
import { safeNext } from '../../session/safe-next.ts';
import { PasswordForm } from '../user-settings/password-form.tsx';

const ignoreDirty = () => undefined;

/** /change-password: the only page that works with a one-time password. Opens `?next=` after the change. */
export function ChangePasswordPage() {
  const { t } = useTranslation();
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const profile = useProfile();
  const { refetch } = profile;
  const mustChange = profile.data?.must_change_password;
  // A profile that was read before the rejection may be outdated.
  const [isCurrent, setCurrent] = useState(false);

  useEffect(() => {
    document.title = `${t('login.change_title')} · SeqPanel`;
  }, [t]);
  useEffect(() => {
    void refetch().then(() => setCurrent(true));
  }, [refetch]);
  useEffect(() => {
    if (mustChange === false && isCurrent) void navigate(safeNext(params.get('next')), { replace: true });
  }, [mustChange, isCurrent, navigate, params]);

  return (
    <LoginLayout
      className="sp-login"
      loginTitle={t('login.change_title')}
      textContent={t('common.ruo')}
      headerUtilities={<LanguageSwitch />}
      brandImgProps={{ src: '/favicon.svg', alt: 'SeqPanel', widths: { default: '48px' } }}
    >
      <h1 className="pf-v6-screen-reader">SeqPanel</h1>
      {profile.error && <ErrorState error={profile.error} onRetry={() => void refetch()} />}
      {profile.data && (
        <>
          <Alert isInline component="p" variant="info" title={t('login.change_reason')} />
          <PasswordForm profile={profile.data} onDirty={ignoreDirty} />
        </>
      )}
      <Button variant="link" onClick={() => void logout()}>
        {t('frame.log_out')}
      </Button>
      <IdleGuard />
    </LoginLayout>
  );
}
