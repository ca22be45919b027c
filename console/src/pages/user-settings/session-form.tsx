import { ActionGroup, Button, Form, FormGroup, Switch } from '@patternfly/react-core';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../../components/error-state.tsx';
import { ErrorSummary, FORM_MODE, TextField } from '../../components/form-fields.tsx';
import { UpdateState } from '../../components/update-state.tsx';
import { shortcutsAreOff, switchShortcuts } from '../../hooks/use-shortcuts.ts';
import { type Profile, useUpdateProfile } from '../../queries/profile.ts';
import { DEFAULT_AUTO_LOGOUT_MINUTES } from '../../session/idle.ts';

/** Edits the minutes until the automatic logout (an integer greater than 0) and the shortcut keys. */
export function SessionForm({ profile, onDirty }: { profile: Profile; onDirty: (isDirty: boolean) => void }) {
  const { t } = useTranslation();
  const update = useUpdateProfile();
  const [hasShortcuts, setShortcuts] = useState(() => !shortcutsAreOff());
  const fallback = profile.default_auto_logout_timeout ?? DEFAULT_AUTO_LOGOUT_MINUTES;
  const form = useForm({ ...FORM_MODE, values: { minutes: profile.auto_logout_timeout?.toString() ?? '' } });
  const { isDirty } = form.formState;
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);

  const submit = form.handleSubmit(async ({ minutes }) => {
    try {
      await update.mutateAsync({ auto_logout_timeout: minutes === '' ? null : Number(minutes) });
    } catch {
      // The form shows the error.
    }
  });

  return (
    <Form className="sp-form" onSubmit={(event) => void submit(event)} noValidate>
      <ErrorSummary form={form} />
      {update.error && <ErrorAlert error={update.error} />}
      <TextField
        form={form}
        name="minutes"
        label={t('user-settings.auto_logout')}
        help={t('user-settings.auto_logout_help', { minutes: fallback })}
        rules={{
          validate: (value) => value === '' || /^[1-9]\d{0,5}$/.test(value) || t('errors.codes.auto_logout_invalid'),
        }}
        input={{ inputMode: 'numeric', placeholder: String(fallback), autoComplete: 'off' }}
      />
      <ActionGroup>
        <Button type="submit" variant="primary" isLoading={update.isPending} isAriaDisabled={update.isPending}>
          {t('common.save')}
        </Button>
        <UpdateState update={update} isDirty={isDirty} />
      </ActionGroup>
      <FormGroup>
        <Switch
          id="field-shortcuts"
          label={t('user-settings.shortcuts')}
          isChecked={hasShortcuts}
          onChange={(_event, isOn) => {
            setShortcuts(isOn);
            switchShortcuts(isOn);
          }}
        />
      </FormGroup>
    </Form>
  );
}
