import { ActionGroup, Button, Form, FormGroup, FormSelect, FormSelectOption, TextInput } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { emailProblem, personNameProblem } from '@seqpanel/crds/account-rules.ts';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../../components/error-state.tsx';
import { ErrorSummary, FORM_MODE, TextField } from '../../components/form-fields.tsx';
import { UpdateState } from '../../components/update-state.tsx';
import { changeLanguage } from '../../i18n/i18n.ts';
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../i18n/language.ts';
import { type Profile, useUpdateProfile } from '../../queries/profile.ts';
import { chooseTheme, storedTheme, THEMES, type Theme } from '../../theme/theme.ts';

/** Edits names, email, language and theme. Groups and roles are read-only. */
export function ProfileForm({ profile, onDirty }: { profile: Profile; onDirty: (isDirty: boolean) => void }) {
  const { t, i18n } = useTranslation();
  const update = useUpdateProfile();
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const values = { first_name: profile.first_name, last_name: profile.last_name, email: profile.email };
  const form = useForm({ ...FORM_MODE, values });
  const { isDirty } = form.formState;
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);

  const submit = form.handleSubmit(async (change) => {
    try {
      await update.mutateAsync(change);
    } catch {
      // The form shows the error.
    }
  });
  const name = { validate: (value: string) => !personNameProblem(value) || t('errors.codes.user_name_characters') };

  return (
    <>
      <Form className="sp-form" onSubmit={(event) => void submit(event)} noValidate>
        <ErrorSummary form={form} />
        {update.error && <ErrorAlert error={update.error} />}
        <FormGroup label={t('login.username')} fieldId="field-username">
          <TextInput id="field-username" value={profile.username} readOnlyVariant="default" translate="no" />
        </FormGroup>
        {(
          [
            ['first_name', 'given-name'],
            ['last_name', 'family-name'],
          ] as const
        ).map(([field, autoComplete]) => (
          <TextField
            key={field}
            form={form}
            name={field}
            label={t(`user-settings.${field}`)}
            rules={name}
            input={{ autoComplete, maxLength: 150 }}
          />
        ))}
        <TextField
          form={form}
          name="email"
          type="email"
          label={t('user-settings.email')}
          rules={{ validate: (value) => value === '' || !emailProblem(value) || t('errors.codes.email_invalid') }}
          input={{ autoComplete: 'email', maxLength: 254 }}
        />
        <ActionGroup>
          <Button type="submit" variant="primary" isLoading={update.isPending} isAriaDisabled={update.isPending}>
            {t('common.save')}
          </Button>
          <UpdateState update={update} isDirty={isDirty} />
        </ActionGroup>
        <FormGroup label={t('common.language')} fieldId="field-language">
          <FormSelect
            id="field-language"
            value={i18n.language}
            onChange={(_event, lang) => {
              void changeLanguage(lang as Language);
              update.mutate({ lang: lang as Language });
            }}
          >
            {LANGUAGES.map((language) => (
              <FormSelectOption key={language} value={language} label={LANGUAGE_NAMES[language]} />
            ))}
          </FormSelect>
        </FormGroup>
        <FormGroup label={t('user-settings.theme')} fieldId="field-theme">
          <FormSelect
            id="field-theme"
            value={theme}
            onChange={(_event, value) => {
              setTheme(value as Theme);
              chooseTheme(value as Theme);
            }}
          >
            {THEMES.map((each) => (
              <FormSelectOption key={each} value={each} label={t(`user-settings.themes.${each}`)} />
            ))}
          </FormSelect>
        </FormGroup>
      </Form>
      <Table aria-label={t('frame.groups')} variant="compact" className="sp-form">
        <Thead>
          <Tr>
            <Th>{t('user-settings.group')}</Th>
            <Th>{t('user-settings.role')}</Th>
            <Th>{t('frame.group_default')}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {profile.groups.map((group) => (
            <Tr key={group.id}>
              <Th scope="row" dataLabel={t('user-settings.group')}>
                <span translate="no">{group.display_name}</span>
              </Th>
              <Td dataLabel={t('user-settings.role')}>
                {group.is_group_admin ? t('frame.group_admin') : t('frame.group_member')}
              </Td>
              <Td dataLabel={t('frame.group_default')}>{group.is_default ? t('frame.group_default') : '–'}</Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </>
  );
}
