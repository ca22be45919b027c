// Preloaded into our processes (node --import): while SEQPANEL_TEST_SKEW_FILE exists, the wall clock is off by the
// milliseconds in it. Monotonic clocks are not changed, as when an administrator sets the time of a machine.
import { readFileSync } from 'node:fs';

const file = process.env.SEQPANEL_TEST_SKEW_FILE;
const Real = Date;
let skew = 0;
const look = () => {
  try {
    skew = Number(readFileSync(file, 'utf8'));
  } catch {
    skew = 0;
  }
};
look();
// The time origin of a process follows the clock at its start.
const origin = performance.timeOrigin + skew;
Object.defineProperty(performance, 'timeOrigin', { get: () => origin });
setInterval(look, 100).unref();

globalThis.Date = class extends Real {
  constructor(...args) {
    if (args.length === 0) super(Real.now() + skew);
    else super(...args);
  }
  static now() {
    return Real.now() + skew;
  }
};
