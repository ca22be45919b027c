import { useCallback, useState } from 'react';
import { type Draft, emptyDraft, withFiles } from './draft.ts';

const keyOf = (group: string): string => `seqpanel.launch.${group}`;

function stored(group: string): Draft | undefined {
  try {
    const draft = JSON.parse(window.sessionStorage.getItem(keyOf(group)) ?? 'null') as Draft | null;
    return draft && Array.isArray(draft.samples) ? draft : undefined;
  } catch {
    return undefined;
  }
}

/** Lets the wizard begin with these files of a project, in place of what it held. */
export function beginWithFiles(group: string, project: string, names: readonly string[]): void {
  const draft = withFiles({ ...emptyDraft(crypto.randomUUID()), project }, names);
  window.sessionStorage.setItem(keyOf(group), JSON.stringify(draft));
}

/** The wizard's draft, kept in the session storage at each change, so that a reload and Back lose nothing. */
export function useDraft(group: string) {
  const [draft, setState] = useState<Draft>(() => stored(group) ?? emptyDraft(crypto.randomUUID()));
  const setDraft = useCallback(
    (change: (now: Draft) => Draft) =>
      setState((now) => {
        const next = change(now);
        window.sessionStorage.setItem(keyOf(group), JSON.stringify(next));
        return next;
      }),
    [group],
  );
  const clear = useCallback(() => {
    window.sessionStorage.removeItem(keyOf(group));
    setState(emptyDraft(crypto.randomUUID()));
  }, [group]);
  return { draft, setDraft, clear };
}
