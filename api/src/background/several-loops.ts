/** Runs several loops of the same work in parallel as one loop. */

import { createLoop, type Loop, type LoopOptions } from '../live/wake.ts';

export function createLoops(count: number, options: LoopOptions): Loop {
  const loops = Array.from({ length: count }, () => createLoop(options));
  return {
    wake: () => {
      for (const loop of loops) loop.wake();
    },
    run: async (signal) => {
      await Promise.all(loops.map((loop) => loop.run(signal)));
    },
  };
}
