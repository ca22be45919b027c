import { Alert, Bullseye, LoginPage as LoginLayout, Spinner } from '@patternfly/react-core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router-dom';
import { useErrorText } from '../../hooks/use-error-text.ts';
import { finishSso } from '../../queries/auth.ts';
import { safeNext } from '../../session/safe-next.ts';

/** The provider's answer can be used only once, so a second rendering (StrictMode) shares the first call. */
let running: { query: string; call: ReturnType<typeof finishSso> } | undefined;

/**
 * /login/sso: the page to which the login provider redirects. Continues immediately, or shows why the login was
 * rejected.
 */
export function SsoPage() {
  const { t } = useTranslation();
  const { search } = useLocation();
  const navigate = useNavigate();
  const describe = useErrorText();
  const [refusal, setRefusal] = useState<unknown>();

  useEffect(() => {
    document.title = `${t('login.title')} · SeqPanel`;
  }, [t]);
  useEffect(() => {
    if (running?.query !== search) running = { query: search, call: finishSso(search) };
    running.call.then((next) => navigate(safeNext(next), { replace: true }), setRefusal);
  }, [search, navigate]);

  if (refusal === undefined) {
    return (
      <Bullseye>
        <Spinner aria-label={t('login.sso_running')} />
      </Bullseye>
    );
  }
  return (
    <LoginLayout className="sp-login" loginTitle={t('login.title')} textContent={t('common.ruo')}>
      <h1 className="pf-v6-screen-reader">SeqPanel</h1>
      <Alert
        isInline
        component="p"
        variant="danger"
        role="alert"
        title={describe(refusal).message}
        actionLinks={<Link to="/login">{t('login.back')}</Link>}
      />
    </LoginLayout>
  );
}
