import { useEffect } from 'react';
import { useLocation } from 'react-router-dom';

/** Back brings the list with the row focused that was opened (P3). `isReady`: the rows are on the page. */
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
