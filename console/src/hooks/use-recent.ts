import { useEffect } from 'react';
import { rememberPlace } from './recents.ts';

/** Adds the open page to the recent items of "Go to…" once its name is known. */
export function useRecent(kind: 'task' | 'project', group: string, to: string, name: string | undefined): void {
  useEffect(() => {
    if (name !== undefined) rememberPlace({ kind, group, to, name });
  }, [kind, group, to, name]);
}
