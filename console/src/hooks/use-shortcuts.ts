import { useEffect, useRef, useSyncExternalStore } from 'react';

/** A shortcut key of a page. `key` is KeyboardEvent.key. Listed when `?` is pressed. */
export interface Shortcut {
  key: string;
  text: string;
  run: () => void;
}

const OFF_KEY = 'seqpanel.shortcuts.off';
let registered: readonly Shortcut[] = [];
const listeners = new Set<() => void>();

function tell(next: readonly Shortcut[]): void {
  registered = next;
  for (const listener of listeners) listener();
}

/** Single-letter keys can be switched off (WCAG 2.1.4). */
export function shortcutsAreOff(): boolean {
  return window.localStorage.getItem(OFF_KEY) === 'yes';
}

export function switchShortcuts(on: boolean): void {
  window.localStorage.setItem(OFF_KEY, on ? 'no' : 'yes');
}

/** Reports whether a key is typed into a field and is no shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Adds keys while the page is open. They act only when no field has the focus. */
export function useShortcuts(shortcuts: Shortcut[]): void {
  const latest = useRef(shortcuts);
  const signature = shortcuts.map(({ key, text }) => `${key} ${text}`).join('\n');
  useEffect(() => {
    latest.current = shortcuts;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the list
  useEffect(() => {
    const mine = latest.current.map((shortcut, index) => ({ ...shortcut, run: () => latest.current[index]?.run() }));
    tell([...registered, ...mine]);
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (shortcutsAreOff() && event.key !== '?') return;
      const shortcut = mine.find(({ key }) => key === event.key);
      if (!shortcut) return;
      event.preventDefault();
      shortcut.run();
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
      tell(registered.filter((shortcut) => !mine.includes(shortcut)));
    };
  }, [signature]);
}

/** Returns the shortcut keys of the open page. */
export function useRegisteredShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => registered,
  );
}
