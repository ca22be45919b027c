import { useLayoutEffect, useState } from 'react';

/** Returns a `ref` for the element to measure, and its width in px; infinite while unknown. */
export function useWidth(): [ref: (element: HTMLElement | null) => void, width: number] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    if (!element) return;
    const take = (px: number) => px > 0 && setWidth(px);
    // Before the first paint, so that the layout does not shift.
    take(element.clientWidth);
    const observer = new ResizeObserver(([entry]) => entry && take(entry.contentRect.width));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, width];
}
