import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { type ErrorText, errorText } from '../api/error-text.ts';

/** Returns a function that gives the text of an error in the user's language (errorText). */
export function useErrorText(): (error: unknown) => ErrorText {
  const { t, i18n } = useTranslation();
  return useCallback((error: unknown) => errorText(error, t, i18n.language), [t, i18n.language]);
}
