/** Limits how many pieces of work run at once. Others wait in order. */

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
      // Passes the slot on, so that a newcomer cannot take it first.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
