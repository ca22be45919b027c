import { useEffect, useRef } from 'react';

/**
 * Leads focus and view where the next thing to read is: to the heading of a step that was just reached, or to the
 * summary of what is wrong each time that Next was refused (`refused` counts up).
 */
export function useStepFocus(step: string | undefined, refused: number) {
  const heading = useRef<HTMLHeadingElement>(null);
  const summary = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    goTo(heading.current);
  }, [step]);
  useEffect(() => {
    if (refused > 0) goTo(summary.current);
  }, [refused]);
  return { heading, summary };
}

function goTo(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView?.({ block: 'center' });
}
