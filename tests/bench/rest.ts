/**
 * npm run bench:rest: the duration of the first and the second start, and the memory (PSS) of supervisor, api,
 * operator and local control plane when idle. Ends with `N passed, N failed` for its two limits: second start under 5
 * s, 400 MB.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { memoryMb, processesOf } from '../support/processes.ts';
import { startProduct } from '../support/product.ts';

const SECOND_START_S = 5;
const MEMORY_MB = 400;
/** Time after a start until caches are filled and garbage is collected. */
const SETTLE_MS = 20_000;

const seconds = (from: number): number => (performance.now() - from) / 1000;

let from = performance.now();
const first = await startProduct();
console.log(`first start ${seconds(from).toFixed(1)} s`);
await first.stop();
from = performance.now();
const second = await startProduct({ dataDir: first.dataDir });
const secondStart = seconds(from);
console.log(`second start ${secondStart.toFixed(1)} s, bound ${SECOND_START_S} s`);
await wait(SETTLE_MS);
let total = 0;
for (const kind of ['supervisor', 'api', 'operator', 'control plane'] as const) {
  const own = memoryMb(processesOf(second.dataDir).filter((process) => process.kind === kind));
  total += own;
  console.log(`${kind}: ${own} MB`);
}
console.log(`together ${total} MB, bound ${MEMORY_MB} MB`);
from = performance.now();
await second.stop();
console.log(`stopped in ${seconds(from).toFixed(1)} s, ${processesOf(second.dataDir).length} processes left`);
await second.dispose();
const failed = [secondStart > SECOND_START_S, total > MEMORY_MB].filter(Boolean).length;
console.log(`${2 - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
