import { ActionGroup, Alert, Button, Form, FormHelperText, HelperText, HelperTextItem } from '@patternfly/react-core';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../../components/error-state.tsx';
import { ErrorSummary, FORM_MODE, TextField } from '../../components/form-fields.tsx';
import { UpdateState } from '../../components/update-state.tsx';
import { useNotify } from '../../hooks/use-notify.ts';
import { type Profile, useChangePassword } from '../../queries/profile.ts';
import { PASSWORD_RULES, passwordProblem } from './password-rules.ts';

const EMPTY = { current_password: '', new_password: '', repeat_password: '' };

/** Changes the password; a checklist shows the rules while the user types. */
export function PasswordForm({ profile, onDirty }: { profile: Profile; onDirty: (isDirty: boolean) => void }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const change = useChangePassword();
  const form = useForm({ ...FORM_MODE, defaultValues: EMPTY });
  const { isDirty, touchedFields } = form.formState;
  const typed = form.watch('new_password');
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);

  if (!profile.has_password)
    return <Alert isInline component="p" variant="info" title={t('user-settings.password_elsewhere')} />;

  const submit = form.handleSubmit(async (values) => {
    try {
      await change.mutateAsync(values);
      form.reset(EMPTY);
      notify.success(t('user-settings.password_changed'));
    } catch {
      // The form shows the error.
    }
  });

  return (
    <Form className="sp-form" onSubmit={(event) => void submit(event)} noValidate>
      <ErrorSummary form={form} />
      {/* Password managers store the new password under it. */}
      <input type="text" autoComplete="username" value={profile.username} readOnly hidden />
      {change.error && <ErrorAlert error={change.error} title={t('user-settings.password_failed')} />}
      <TextField
        form={form}
        name="current_password"
        type="password"
        label={t('user-settings.current_password')}
        isRequired
        rules={{ required: t('errors.codes.password_current_required') }}
        input={{ autoComplete: 'current-password' }}
      />
      <TextField
        form={form}
        name="new_password"
        type="password"
        label={t('user-settings.new_password')}
        isRequired
        rules={{
          validate: {
            rules: (value: string) => {
              const problem = passwordProblem(value);
              return problem === undefined || t(`errors.codes.${problem}`);
            },
            same: (value: string, all: typeof EMPTY) =>
              value !== all.current_password || t('errors.codes.password_unchanged'),
          },
          // Validating untouched fields would move the button away from under the pointer.
          deps: touchedFields.repeat_password ? ['repeat_password'] : [],
        }}
        input={{ autoComplete: 'new-password' }}
      />
      <FormHelperText>
        <HelperText component="ul" aria-label={t('user-settings.rules')}>
          {PASSWORD_RULES.map(({ key, holds }) => (
            <HelperTextItem
              key={key}
              component="li"
              variant={typed === '' ? 'indeterminate' : holds(typed) ? 'success' : 'error'}
            >
              {t(`user-settings.rule.${key}`)}
            </HelperTextItem>
          ))}
        </HelperText>
      </FormHelperText>
      <TextField
        form={form}
        name="repeat_password"
        type="password"
        label={t('user-settings.repeat_password')}
        isRequired
        rules={{
          validate: (value: string, all: typeof EMPTY) =>
            value === all.new_password || t('errors.codes.password_repeat'),
        }}
        input={{ autoComplete: 'new-password' }}
      />
      <ActionGroup>
        <Button type="submit" variant="primary" isLoading={change.isPending} isAriaDisabled={change.isPending}>
          {t('frame.password_change')}
        </Button>
        <UpdateState update={change} isDirty={isDirty} />
      </ActionGroup>
    </Form>
  );
}
