import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';

/** The history's state of a step that was reached with Next. */
export const REACHED = 'reached';

/**
 * Leads focus and view to what there is to read next: to the heading of a step that was reached with Next, or to the
 * summary of what is wrong each time that Next was refused (`refused` counts up).
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
