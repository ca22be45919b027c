import { Alert, Button, Content, ExpandableSection, Form, LoginPage as LoginLayout } from '@patternfly/react-core';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router-dom';
import { FORM_MODE, TextField } from '../../components/form-fields.tsx';
import { LanguageSwitch } from '../../frame/language-switch.tsx';
import { useErrorText } from '../../hooks/use-error-text.ts';
import { changeLanguage } from '../../i18n/i18n.ts';
import { isLanguage } from '../../i18n/language.ts';
import { beginSso, login, useSignInOptions } from '../../queries/auth.ts';
import { afterLogin, safeNext } from '../../session/safe-next.ts';
import { session } from '../../session/session.ts';

interface Values {
  username: string;
  password: string;
}

/** /login, public. Shows a refused login above the form, and why the last session ended. */
export function LoginPage() {
  const { t } = useTranslation();
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const describe = useErrorText();
  const form = useForm<Values>({ ...FORM_MODE, defaultValues: { username: '', password: '' } });
  const { data: options } = useSignInOptions();
  const [refusal, setRefusal] = useState<unknown>();
  const [ended] = useState(session.ended);
  const [capsLock, setCapsLock] = useState(false);

  useEffect(() => {
    document.title = `${t('login.title')} · SeqPanel`;
  }, [t]);

  const submit = form.handleSubmit(async ({ username, password }) => {
    setRefusal(undefined);
    try {
      const profile = await login(username, password);
      if (isLanguage(profile.lang) && window.localStorage.getItem('seqpanel.lang') === null) {
        await changeLanguage(profile.lang);
      }
      await navigate(afterLogin(profile, safeNext(params.get('next'))), { replace: true });
    } catch (error) {
      setRefusal(error);
    }
  });

  return (
    <LoginLayout
      className="sp-login"
      loginTitle={t('login.title')}
      loginSubtitle={t('login.subtitle')}
      textContent={t('common.ruo')}
      headerUtilities={<LanguageSwitch />}
      brandImgProps={{ src: '/favicon.svg', alt: 'SeqPanel', widths: { default: '48px' } }}
      signUpForAccountMessage={<Legal />}
    >
      <h1 className="pf-v6-screen-reader">SeqPanel</h1>
      <Form onSubmit={(event) => void submit(event)} noValidate>
        {ended && ended !== 'logout' && !refusal && (
          <Alert isInline component="p" variant="info" title={t(`login.ended.${ended}`)} />
        )}
        {refusal !== undefined && (
          <Alert isInline component="p" variant="danger" title={describe(refusal).message} role="alert" />
        )}
        <TextField
          form={form}
          name="username"
          label={t('login.username')}
          isRequired
          rules={{ required: t('login.username_required') }}
          input={{ autoComplete: 'username', autoFocus: true, autoCapitalize: 'none', spellCheck: false }}
        />
        <TextField
          form={form}
          name="password"
          type="password"
          label={t('login.password')}
          isRequired
          rules={{ required: t('login.password_required') }}
          help={capsLock ? t('login.caps_lock') : undefined}
          input={{
            autoComplete: 'current-password',
            onKeyUp: (event) => setCapsLock(event.getModifierState('CapsLock')),
          }}
        />
        <Button
          type="submit"
          isBlock
          isLoading={form.formState.isSubmitting}
          isAriaDisabled={form.formState.isSubmitting}
        >
          {t('login.log_in')}
        </Button>
        {options?.sso && (
          <Button
            variant="secondary"
            isBlock
            onClick={() => void beginSso(safeNext(params.get('next'))).catch(setRefusal)}
          >
            {t('login.sso', { name: options.sso.name })}
          </Button>
        )}
      </Form>
    </LoginLayout>
  );
}

/** The disclaimer, the license terms and the link to the software list (AUTH-02). */
function Legal() {
  const { t } = useTranslation();
  return (
    <div className="sp-legal">
      <Content component="h2">{t('login.disclaimer_title')}</Content>
      <Content component="p">{t('login.disclaimer')}</Content>
      <ExpandableSection toggleText={t('login.license_title')}>
        {(['purpose', 'diagnosis', 'persons', 'warranty', 'software'] as const).map((part) => (
          <Content component="p" key={part}>
            {t(`login.license.${part}`)}
          </Content>
        ))}
      </ExpandableSection>
      <p>
        <Link to="/software-list">{t('login.software_list')}</Link>
      </p>
    </div>
  );
}
