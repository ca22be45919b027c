import { useEffect } from 'react';
import { isTyping } from './use-shortcuts.ts';

/** Region that gets the focus first: the main table or picture of the page. */
export const RESULTS = 'results';

/** Marks a region of the page that F6 focuses, in the order of the page. */
export const region = (name: string) => ({ 'data-region': name, tabIndex: -1 });

const isShown = (part: HTMLElement): boolean => part.checkVisibility?.() ?? true;

const regions = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(isShown);

/** Focuses the main region of the page. Returns false on a page without one. */
export function focusResults(): boolean {
  const part = regions().find(({ dataset }) => dataset['region'] === RESULTS);
  part?.focus();
  return part !== undefined;
}

/**
 * Moves the focus to the next region (table, drawer, facets) on F6, to the previous one on Shift+F6. Open dialogs keep
 * the focus.
 */
export function useRegionKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'F6' || document.querySelector('[aria-modal=true]')) return;
      const parts = regions();
      if (parts.length === 0) return;
      event.preventDefault();
      const at = parts.findIndex((part) => part.contains(document.activeElement));
      if (at < 0 && focusResults()) return;
      const step = event.shiftKey ? parts.length - 1 : 1;
      parts[(Math.max(at, 0) + step) % parts.length]?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Calls `close` on Esc while a part that is not a dialog is open. Fields, menus and dialogs handle Esc themselves. */
export function useEscape(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isTyping(event.target)) return;
      if (document.querySelector('[aria-modal=true], [aria-expanded=true].pf-v6-c-menu-toggle')) return;
      close();
    };
    // Runs before React's handlers, which may close the menu that the key is for.
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [isOpen, close]);
}
