import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';

/** History state of a step that was opened with Next. */
export const REACHED = 'reached';

/**
 * Focuses the heading of a step that was opened with Next, or the summary of errors each time Next was rejected
 * (`refused` is incremented).
 */
export function useStepFocus(refused: number) {
  const heading = useRef<HTMLHeadingElement>(null);
  const summary = useRef<HTMLDivElement>(null);
  const { state, pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step is reached once
  useEffect(() => {
    if (state === REACHED) goTo(heading.current);
  }, [pathname]);
  useEffect(() => {
    if (refused > 0) goTo(summary.current);
  }, [refused]);
  return { heading, summary };
}

function goTo(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView?.({ block: 'center' });
}
