/** Runs at most `running` pieces of work at once, queues `waiting` more, and rejects the rest immediately. */
export function createBoundedWork(limits: { running: number; waiting: number }, overload: () => Error) {
  const queue: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < limits.running) running++;
    else if (queue.length >= limits.waiting) throw overload();
    else await new Promise<void>((start) => queue.push(start));
    try {
      return await work();
    } finally {
      // Passes the slot to the next one.
      const next = queue.shift();
      if (next) next();
      else running--;
    }
  };
}
