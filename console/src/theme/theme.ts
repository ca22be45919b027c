/** Theme of the console. `system` follows the operating system. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'seqpanel.theme';
const DARK_CLASS = 'pf-v6-theme-dark';
const HIGH_CONTRAST_CLASS = 'pf-v6-theme-high-contrast';

export function storedTheme(): Theme {
  const value = window.localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === value) ?? 'system';
}

function apply(theme: Theme): void {
  const dark = theme === 'dark' || (theme === 'system' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  const root = document.documentElement;
  root.classList.toggle(DARK_CLASS, dark);
  root.classList.toggle(HIGH_CONTRAST_CLASS, window.matchMedia('(prefers-contrast: more)').matches);
}

export function chooseTheme(theme: Theme): void {
  window.localStorage.setItem(KEY, theme);
  apply(theme);
}

/** Applies the stored theme before the first paint, then follows changes of the system. */
export function startTheme(): void {
  apply(storedTheme());
  for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)']) {
    window.matchMedia(query).addEventListener('change', () => apply(storedTheme()));
  }
}
