import { useEffect } from 'react';
import { rememberPlace } from './recents.ts';

/** Puts the open page among those that "Go to…" offers first, once its name is known. */
export function useRecent(kind: 'task' | 'project', group: string, to: string, name: string | undefined): void {
  useEffect(() => {
    if (name !== undefined) rememberPlace({ kind, group, to, name });
  }, [kind, group, to, name]);
}
