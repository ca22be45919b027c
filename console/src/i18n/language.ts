export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE: Language = 'en';

/** Each language's name in itself: shown as it is in both languages. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', zh: '中文' };

const KEY = 'seqpanel.lang';

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.includes(value as Language);
}

/** Returns the language chosen in this browser; kept after logout, so that the login page uses it too. */
export function storedLanguage(storage: Storage = window.localStorage): Language {
  const value = storage.getItem(KEY);
  return isLanguage(value) ? value : DEFAULT_LANGUAGE;
}

export function storeLanguage(language: Language, storage: Storage = window.localStorage): void {
  storage.setItem(KEY, language);
}
