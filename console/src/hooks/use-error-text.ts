import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { type ErrorText, errorText } from '../api/error-text.ts';

/** Turns any error into the user's language: see errorText. */
export function useErrorText(): (error: unknown) => ErrorText {
  const { t, i18n } = useTranslation();
  return useCallback((error: unknown) => errorText(error, t, i18n.language), [t, i18n.language]);
}
