/**
 * PatternFly writes some words itself, for screen readers, and offers no property for most of them. This file finds these
 * English words in the page and replaces them. It does nothing in English.
 */
import type { i18n as I18n } from 'i18next';

type Translated = (i18n: I18n, ...parts: string[]) => string;
const word =
  (key: string): Translated =>
  (i18n, name = '') =>
    (i18n.t as (key: string, values: object) => string)(`components.${key}`, { name });

/** Each pattern with its text. */
const WORDS: readonly (readonly [RegExp, Translated])[] = [
  [/^Close$/, word('close')],
  [/^Close (.+)$/, word('remove')],
  [/^Close label group$/, word('remove_all')],
  [/^Label group category$/, word('labels')],
  [/^Show Filters$/, word('show_filters')],
  [/^Select all rows$/, word('select_all')],
  [/^Select row (\d+)$/, (i18n, row) => word('select_row')(i18n, String(Number(row) + 1))],
  [/^Resize$/, word('resize')],
  [/^(Success|Info|Warning|Danger|Custom) alert:$/, (i18n, level = '') => word(`alert_${level.toLowerCase()}`)(i18n)],
  [/^(success|warning|error|indeterminate) status$/, (i18n, state) => word(`status_${state}`)(i18n)],
];

/** Returns the words of PatternFly in the language of the page; undefined for any other text. */
export function componentWord(i18n: I18n, text: string): string | undefined {
  // The last match is the most specific one.
  for (const [pattern, translated] of WORDS.toReversed()) {
    const match = pattern.exec(text);
    if (match) return translated(i18n, ...match.slice(1));
  }
  return undefined;
}

function replaceIn(i18n: I18n, root: Element): void {
  for (const element of [root, ...root.querySelectorAll('[aria-label], .pf-v6-screen-reader')]) {
    const label = element.getAttribute('aria-label');
    const word = label === null ? undefined : componentWord(i18n, label);
    if (word !== undefined && !element.closest('[translate=no]')) element.setAttribute('aria-label', word);
    if (!element.classList.contains('pf-v6-screen-reader')) continue;
    for (const node of element.childNodes) {
      const text = node.nodeType === Node.TEXT_NODE ? componentWord(i18n, node.nodeValue ?? '') : undefined;
      if (text !== undefined) node.nodeValue = text;
    }
  }
}

/** Replaces the words from now on, whenever the page changes. */
export function translateComponents(i18n: I18n): void {
  const observer = new MutationObserver((changes) => {
    if (i18n.language === 'en') return;
    for (const { type, target, addedNodes } of changes) {
      if (type === 'attributes') replaceIn(i18n, target as Element);
      for (const node of addedNodes) if (node instanceof Element) replaceIn(i18n, node);
    }
  });
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['aria-label'] });
}
