import { useState } from 'react';
import { useSession } from '../hooks/use-session.ts';

interface Choosable {
  key: string;
  title: string;
  optional?: 'shown' | 'hidden';
}

/** Columns to show, and the choice among the optional ones; stored per user and list. */
export interface ShownColumns<C extends Choosable = Choosable> {
  columns: C[];
  choices: { key: string; title: string; isShown: boolean }[];
  toggle: (key: string) => void;
}

export function useShownColumns<C extends Choosable>(list: string, columns: C[]): ShownColumns<C> {
  const user = useSession()?.username ?? '';
  const storageKey = `seqpanel.columns.${user}.${list}`;
  const [chosen, setChosen] = useState<Record<string, boolean>>(() => readChoice(storageKey));
  const isShown = (column: C) => chosen[column.key] ?? column.optional !== 'hidden';
  return {
    columns: columns.filter((column) => column.optional === undefined || isShown(column)),
    choices: columns
      .filter((column) => column.optional !== undefined)
      .map((column) => ({ key: column.key, title: column.title, isShown: isShown(column) })),
    toggle: (key) => {
      const column = columns.find((candidate) => candidate.key === key);
      if (!column) return;
      const next = { ...chosen, [key]: !isShown(column) };
      window.localStorage.setItem(storageKey, JSON.stringify(next));
      setChosen(next);
    },
  };
}

function readChoice(key: string): Record<string, boolean> {
  try {
    return JSON.parse(window.localStorage.getItem(key) ?? '{}') as Record<string, boolean>;
  } catch {
    return {};
  }
}
