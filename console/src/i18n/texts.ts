import type { Language } from './language.ts';

/** One chunk per language, loaded when the language is chosen. */
export const TEXTS: Record<Language, () => Promise<{ texts: object }>> = {
  en: () => import('../locales/en/index.ts'),
  zh: () => import('../locales/zh/index.ts'),
};
