import i18next, { type i18n as I18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { DEFAULT_LANGUAGE, type Language, storedLanguage, storeLanguage } from './language.ts';
import { TEXTS } from './texts.ts';

async function load(i18n: I18n, language: Language): Promise<void> {
  if (i18n.hasResourceBundle(language, 'translation')) return;
  const { texts } = await TEXTS[language]();
  i18n.addResourceBundle(language, 'translation', texts);
}

/** Starts i18next with the texts of one language. */
export async function startI18n(language: Language = storedLanguage()): Promise<I18n> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: DEFAULT_LANGUAGE,
    resources: {},
    // Placeholders are {name}, as in the api's texts.
    interpolation: { escapeValue: false, prefix: '{', suffix: '}' },
    returnNull: false,
    showSupportNotice: false,
  } as Parameters<I18n['init']>[0]);
  await load(i18next, language);
  document.documentElement.lang = language;
  return i18next;
}

/** Changes the language at once and remembers it on this browser. */
export async function changeLanguage(language: Language): Promise<void> {
  await load(i18next, language);
  await i18next.changeLanguage(language);
  storeLanguage(language);
  document.documentElement.lang = language;
}
