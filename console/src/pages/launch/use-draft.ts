import { useCallback, useState } from 'react';
import { randomId } from '../../random-id.ts';
import { type Draft, emptyDraft, type NewId, withFiles } from './draft.ts';
import { type NamedDraft, withSampleIds } from './draft-request.ts';

const keyOf = (group: string): string => `seqpanel.launch.${group}`;

/** Parses a stored draft of this version, or of an earlier one whose samples have no ids. */
export function readStored(text: string | null, newId?: NewId): Draft | undefined {
  const draft = JSON.parse(text ?? 'null') as Draft | NamedDraft | null;
  if (!draft || !Array.isArray(draft.samples)) return undefined;
  return hasIds(draft) ? draft : withSampleIds(draft, newId);
}

const hasIds = (draft: Draft | NamedDraft): draft is Draft =>
  draft.samples.every((sample) => 'id' in sample && typeof sample.id === 'string');

function stored(group: string): Draft | undefined {
  try {
    return readStored(window.sessionStorage.getItem(keyOf(group)));
  } catch {
    return undefined;
  }
}

/** Starts the wizard with these files of a project. Replaces its earlier draft. */
export function beginWithFiles(group: string, project: string, names: readonly string[]): void {
  const draft = withFiles({ ...emptyDraft(randomId()), project }, names);
  window.sessionStorage.setItem(keyOf(group), JSON.stringify(draft));
}

/** Returns the wizard's draft. Stores each change in the session storage, so that a reload and Back lose nothing. */
export function useDraft(group: string) {
  const [draft, setState] = useState<Draft>(() => stored(group) ?? emptyDraft(randomId()));
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
    setState(emptyDraft(randomId()));
  }, [group]);
  return { draft, setDraft, clear };
}
