/** Lets only so many pieces of work run at once; the others wait in their order. */

export type Queue = <T>(work: () => Promise<T>) => Promise<T>;

export function createQueue(atOnce: number): Queue {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < atOnce) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place is handed on, so that a newcomer cannot take it first.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
