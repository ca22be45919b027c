import { useEffect } from 'react';
import { useLocation } from 'react-router-dom';

/** Focuses the row that was opened last when the user comes back to the list. `isReady`: the rows are on the page. */
export function useRowFocus(isReady: boolean): { remember: (row: string) => void } {
  const { pathname, key } = useLocation();
  const storageKey = `seqpanel.row.${pathname}.${key}`;
  useEffect(() => {
    const row = window.sessionStorage.getItem(storageKey);
    if (!isReady || row === null) return;
    window.sessionStorage.removeItem(storageKey);
    document.querySelector<HTMLElement>(`[data-row="${CSS.escape(row)}"] a`)?.focus();
  }, [isReady, storageKey]);
  return { remember: (row) => window.sessionStorage.setItem(storageKey, row) };
}
