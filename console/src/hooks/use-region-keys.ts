import { useEffect } from 'react';
import { isTyping } from './use-shortcuts.ts';

/** Where the focus goes first: the table or picture that the page is about. */
export const RESULTS = 'results';

/** Marks a part of the page that F6 leads to; in the order of the page. */
export const region = (name: string) => ({ 'data-region': name, tabIndex: -1 });

const isShown = (part: HTMLElement): boolean => part.checkVisibility?.() ?? true;

const regions = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(isShown);

/** Moves the focus to the part that the page is about; false on a page without one. */
export function focusResults(): boolean {
  const part = regions().find(({ dataset }) => dataset['region'] === RESULTS);
  part?.focus();
  return part !== undefined;
}

/** F6 leads from part to part of the page (table, drawer, facets), Shift+F6 back. Open dialogs keep the focus. */
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

/** Runs on Esc while something is open that is no dialog. A field, a menu or a dialog has its own Esc. */
export function useEscape(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isTyping(event.target)) return;
      if (document.querySelector('[aria-modal=true], [aria-expanded=true].pf-v6-c-menu-toggle')) return;
      close();
    };
    // Before React's own handlers, which may close the menu that the key is for.
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [isOpen, close]);
}
