/**
 * Starts the node tier with several installations of the chart and plays the faults: those of a product in parallel on
 * all installations, then those of the node one after the other.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { bringImages } from '../../cluster/install/installation.ts';
import { eventually } from '../../cluster/kube-http.ts';
import { bringUp, takeDown, whoHolds } from '../../cluster/node/held.ts';
import { followJobs } from '../cluster/follow-jobs.ts';
import { type Results, resultsOf } from '../cluster/invariants.ts';
import type { SuiteReport } from '../cluster/judged-round.ts';
import { Laboratory, makeData } from '../cluster/laboratory.ts';
import type { SuiteOptions } from '../cluster/suite.ts';
import { REAL_FAULTS, type RealFault } from './faults.ts';
import { InstalledProduct, makePlace, type Place } from './installed-product.ts';
import { NodePart } from './node-part.ts';
import { RealRound } from './real-round.ts';

/** A round mostly waits for pods, and installing another product takes as long as a few rounds. */
const lanesFor = (times: number): number => (times === 1 ? 1 : 3);

export async function playRealFaults(options: Omit<SuiteOptions, 'long'>): Promise<SuiteReport> {
  const { binaries, times, patience, only, onRound, until } = options;
  const wanted = REAL_FAULTS.filter(({ name }) => only?.test(name) ?? true);
  const of = (needs: RealFault['needs']) =>
    Array.from({ length: times }, () => wanted.filter((fault) => fault.needs === needs)).flat();
  const report: SuiteReport = { rounds: [], skipped: [] };
  const ends: (() => Promise<unknown> | unknown)[] = [];
  if (await whoHolds()) throw new Error('A cluster runs already, and these faults break it: npm run cluster -- down');
  let begun = 0;
  try {
    ends.push(() => takeDown());
    const held = await bringUp({ withParent: true });
    await bringImages();
    const { data, folder } = await makeData();
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const part = (name: string) => new NodePart(held, name);
    const parts = { apiserver: part('apiserver'), kubelet: part('kubelet'), containerd: part('containerd') };

    const queue = of('product');
    const places: Place[] = [];
    for (let lane = 1; lane <= Math.max(1, Math.min(lanesFor(times), queue.length)); lane++) {
      const place = await makePlace(held, binaries, `faults-${lane}`);
      places.push(place);
      ends.push(() => {
        // Everything else is deleted with the cluster.
        execFileSync('umount', ['-l', place.storageDir]);
        place.kube.close();
      });
    }
    const products: InstalledProduct[] = [];
    // One after the other, because each installs the CRDs.
    for (const place of places) products.push(await InstalledProduct.install(place));
    const benches = await Promise.all(
      products.map(async (product) => {
        await product.whole(300 * patience);
        // The node updates the targets of a Service a little later.
        await eventually('the api lets in', () => product.admin(), 60 * patience);
        const jobs = new Map<string, Set<string>>();
        ends.push(followJobs(product.kube, product.namespace, jobs));
        return { product, jobs, lab: await Laboratory.open(product, data) };
      }),
    );
    type Bench = (typeof benches)[number];
    const first = benches[0]!;
    const undisturbed = await playUndisturbed(first.lab, patience);

    const play = async ({ product, jobs, lab }: Bench, fault: RealFault) => {
      if (until?.aborted) return;
      const { kube, namespace, databaseUrl, storageDir } = product;
      const evidence = { kube, namespace, databaseUrl, storageDir, jobs };
      const name = `real-${++begun}`;
      const round = new RealRound({ name, lab, patience, evidence, product, parts });
      const played = await round.play(fault, undisturbed);
      report.rounds.push(played);
      onRound?.(played);
    };
    const lane = async (bench: Bench) => {
      for (let fault = queue.shift(); fault; fault = queue.shift()) await play(bench, fault);
    };
    await Promise.all(benches.map(lane));
    // The node's faults use one installation, because the others would only use processors.
    for (const { product } of benches.slice(1)) await product.uninstall();
    for (const fault of of('node')) await play(first, fault);
  } finally {
    for (const end of ends.reverse()) await Promise.resolve(end()).catch((error) => console.error(error));
  }
  return report;
}

async function playUndisturbed(lab: Laboratory, patience: number): Promise<Results> {
  const id = await lab.launch('undisturbed');
  const end = await lab.ended(id, 300 * patience);
  if (end !== 'completed') throw new Error(`the undisturbed task ended ${end}`);
  return await resultsOf(lab.product, id);
}
