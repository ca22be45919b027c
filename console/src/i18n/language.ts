export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE: Language = 'en';

/** Name of each language in that language, never translated. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', zh: '中文' };

const KEY = 'seqpanel.lang';

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.includes(value as Language);
}

/** Returns the language chosen in this browser. Kept after logout for the login page. */
export function storedLanguage(storage: Storage = window.localStorage): Language {
  const value = storage.getItem(KEY);
  return isLanguage(value) ? value : DEFAULT_LANGUAGE;
}

export function storeLanguage(language: Language, storage: Storage = window.localStorage): void {
  storage.setItem(KEY, language);
}
