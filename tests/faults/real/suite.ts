/** Brings up the node tier with the product installed by its chart, plays the faults one after the other. */
import { rmSync } from 'node:fs';
import { bringUp, takeDown, whoHolds } from '../../cluster/node/held.ts';
import { followJobs } from '../cluster/follow-jobs.ts';
import { resultsOf } from '../cluster/invariants.ts';
import type { SuiteReport } from '../cluster/judged-round.ts';
import { Laboratory, makeData } from '../cluster/laboratory.ts';
import type { SuiteOptions } from '../cluster/suite.ts';
import { REAL_FAULTS } from './faults.ts';
import { InstalledProduct } from './installed-product.ts';
import { NodePart } from './node-part.ts';
import { RealRound } from './real-round.ts';

export async function playRealFaults(options: Omit<SuiteOptions, 'long'>): Promise<SuiteReport> {
  const { binaries, times, patience, only, onRound, until } = options;
  const faults = REAL_FAULTS.filter(({ name }) => only?.test(name) ?? true);
  const report: SuiteReport = { rounds: [], skipped: [] };
  const ends: (() => Promise<unknown> | unknown)[] = [];
  if (await whoHolds()) throw new Error('A cluster runs already, and these faults break it: npm run cluster -- down');
  try {
    ends.push(() => takeDown());
    const held = await bringUp({ withParent: true });
    const product = await InstalledProduct.start(held, binaries, `faults-${process.pid}`);
    ends.push(() => product.dispose());
    const { data, folder } = await makeData();
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const { kube, namespace, databaseUrl, storageDir } = product;
    const jobs = new Map<string, Set<string>>();
    ends.push(followJobs(kube, namespace, jobs));
    const lab = await Laboratory.open(product, data);
    const id = await lab.launch('undisturbed');
    const end = await lab.ended(id, 300 * patience);
    if (end !== 'completed') throw new Error(`the undisturbed task ended ${end}`);
    const undisturbed = await resultsOf(product, id);
    const evidence = { kube, namespace, databaseUrl, storageDir, jobs };
    const part = (name: string) => new NodePart(held, name);
    const parts = { apiserver: part('apiserver'), kubelet: part('kubelet'), containerd: part('containerd') };
    for (const fault of Array.from({ length: times }, () => faults).flat()) {
      if (until?.aborted) break;
      const name = `real-${report.rounds.length + 1}`;
      const round = new RealRound({ name, lab, patience, evidence, product, parts });
      const played = await round.play(fault, undisturbed);
      report.rounds.push(played);
      onRound?.(played);
    }
  } finally {
    for (const end of ends.reverse()) await Promise.resolve(end()).catch((error) => console.error(error));
  }
  return report;
}
