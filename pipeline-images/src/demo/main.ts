/** The program behind bin/seqpanel-demo: `seqpanel-demo --out DIR` makes the synthetic demo in DIR. */
import { makeDemo } from './make-demo.ts';

const [flag, dir, ...rest] = process.argv.slice(2);
if (flag !== '--out' || !dir || rest.length > 0) {
  process.stderr.write('usage: seqpanel-demo --out DIR\n');
  process.exitCode = 2;
} else {
  const { samples } = await makeDemo(dir);
  process.stdout.write(`wrote the demo with ${samples.length} samples to ${dir}\n`);
}
