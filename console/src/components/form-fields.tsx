import {
  Alert,
  Button,
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
  InputGroup,
  InputGroupItem,
  TextInput,
  type TextInputProps,
} from '@patternfly/react-core';
import EyeIcon from '@patternfly/react-icons/dist/esm/icons/eye-icon';
import EyeSlashIcon from '@patternfly/react-icons/dist/esm/icons/eye-slash-icon';
import { type ReactNode, useState } from 'react';
import type { FieldPath, FieldValues, RegisterOptions, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';

/**
 * Validation mode of every form: on blur, again on every key once wrong; submit focuses the first error.
 *
 * @example const form = useForm<Values>({ ...FORM_MODE, defaultValues });
 */
export const FORM_MODE = { mode: 'onTouched', reValidateMode: 'onChange', shouldFocusError: true } as const;

interface TextFieldProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  name: FieldPath<Values>;
  label: string;
  rules?: RegisterOptions<Values>;
  help?: ReactNode;
  type?: TextInputProps['type'];
  isRequired?: boolean;
  input?: Omit<TextInputProps, 'ref' | 'type' | 'name' | 'id'>;
}

/** A labelled text input with its rule, its help and its error. `type="password"` gets a reveal button. */
export function TextField<Values extends FieldValues>(props: TextFieldProps<Values>) {
  const { t } = useTranslation();
  const { form, name, label, rules, help, type = 'text' } = props;
  const [isRevealed, setRevealed] = useState(false);
  const error = form.getFieldState(name, form.formState).error;
  const id = `field-${name}`;
  const registered = form.register(name, rules as RegisterOptions<Values, FieldPath<Values>>);
  const input = (
    <TextInput
      {...registered}
      id={id}
      type={type === 'password' && isRevealed ? 'text' : type}
      isRequired={props.isRequired === true}
      validated={error ? 'error' : 'default'}
      {...(error || help ? { 'aria-describedby': `${id}-help` } : {})}
      aria-invalid={!!error}
      {...props.input}
    />
  );
  return (
    <FormGroup label={label} fieldId={id} isRequired={props.isRequired === true}>
      {type === 'password' ? (
        <InputGroup>
          <InputGroupItem isFill>{input}</InputGroupItem>
          <InputGroupItem>
            <Button
              variant="control"
              aria-label={
                isRevealed ? t('form.hide_password', { field: label }) : t('form.show_password', { field: label })
              }
              icon={isRevealed ? <EyeSlashIcon /> : <EyeIcon />}
              onClick={() => setRevealed(!isRevealed)}
            />
          </InputGroupItem>
        </InputGroup>
      ) : (
        input
      )}
      {(error || help) && (
        <FormHelperText>
          <HelperText id={`${id}-help`}>
            <HelperTextItem variant={error ? 'error' : 'default'}>
              {error ? (error.message ?? t('form.invalid')) : help}
            </HelperTextItem>
          </HelperText>
        </FormHelperText>
      )}
    </FormGroup>
  );
}

/** Lists all errors after a submit, as links to their fields ("Please fix the form errors"). */
export function ErrorSummary<Values extends FieldValues>({ form }: { form: UseFormReturn<Values> }) {
  const { t } = useTranslation();
  const { errors, submitCount } = form.formState;
  const list = Object.entries(errors);
  if (submitCount === 0 || list.length === 0) return null;
  return (
    <Alert isInline component="p" variant="danger" title={t('form.fix_errors')} role="alert">
      <ul>
        {list.map(([name, error]) => (
          <li key={name}>
            <Button variant="link" isInline onClick={() => form.setFocus(name as FieldPath<Values>)}>
              {String(error?.message ?? t('form.invalid'))}
            </Button>
          </li>
        ))}
      </ul>
    </Alert>
  );
}
