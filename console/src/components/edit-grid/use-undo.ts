import { useState } from 'react';

/** Steps that can be taken back. */
const STEPS = 100;

/** Undo and redo of a value that its owner keeps; a change from outside (an import, a draft) can be taken back too. */
export function useUndo<Value>(value: Value, onChange: (value: Value) => void) {
  const [past, setPast] = useState<readonly Value[]>([]);
  const [future, setFuture] = useState<readonly Value[]>([]);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setPast([...past, shown].slice(-STEPS));
    setFuture([]);
  }
  const show = (next: Value) => {
    setShown(next);
    onChange(next);
  };
  return {
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    undo: () => {
      const before = past.at(-1);
      if (before === undefined) return;
      setPast(past.slice(0, -1));
      setFuture([value, ...future]);
      show(before);
    },
    redo: () => {
      const next = future[0];
      if (next === undefined) return;
      setFuture(future.slice(1));
      setPast([...past, value]);
      show(next);
    },
  };
}
