/** Starts control planes and products, plays the faults on them in parallel, and returns the outcome of each. */
import { rmSync } from 'node:fs';
import type { ClusterBinaries } from '../../cluster/binaries.ts';
import { type CommandKubelet, type PodPlace, startCommandKubelet } from '../../cluster/command-kubelet.ts';
import { type ControlPlane, startWith } from '../../cluster/control-plane.ts';
import { readDefinitions } from '../../kubernetes-contract/server.ts';
import { NODE_FAULTS } from './faults-of-nodes.ts';
import { POD_FAULTS } from './faults-of-pods.ts';
import { PROCESS_FAULTS } from './faults-of-processes.ts';
import { SERVER_FAULTS } from './faults-of-servers.ts';
import { STORAGE_FAULTS } from './faults-of-storage.ts';
import { followJobs } from './follow-jobs.ts';
import { type Results, resultsOf } from './invariants.ts';
import type { RoundReport, SuiteReport } from './judged-round.ts';
import { Laboratory, makeData } from './laboratory.ts';
import { ClusterProduct, type ProductOptions } from './product.ts';
import { type Fault, Round } from './round.ts';
import { mountSmallDisk, unmountSmallDisk } from './small-disk.ts';

export const FAULTS: readonly Fault[] = [
  ...SERVER_FAULTS,
  ...PROCESS_FAULTS,
  ...POD_FAULTS,
  ...NODE_FAULTS,
  ...STORAGE_FAULTS,
];

export interface SuiteOptions {
  binaries: ClusterBinaries;
  /** Number of runs of each fault. */
  times: number;
  /** True on demand: faults last as long as in the table. */
  long: boolean;
  /** Factor of the time limits: 1 on an otherwise idle machine. */
  patience: number;
  /** Plays only faults with a matching name. */
  only?: RegExp;
  onRound?: (report: RoundReport) => void;
  /** When it fires, the running rounds are the last. */
  until?: AbortSignal;
}

/** Starting a product takes as long as a round, so more products pay off only with many runs. */
const lanesFor = (times: number): number => (times === 1 ? 2 : 4);
const NODES = 4;
/** Options of the control plane whose nodes are lost: detects a lost node and its stuck pods soon. */
const SOON_LOST = {
  plane: ['--node-monitor-grace-period=10s', '--node-monitor-period=1s'],
  // The operator detects lost nodes only with access to nodes.
  operator: { SEQPANEL_LOST_POD_SECONDS: '5', SEQPANEL_WORKERS: 'on' },
};

/** A control plane with its nodes. */
class Site {
  readonly plane: ControlPlane;
  readonly places = new Map<string, PodPlace>();
  readonly nodes = new Map<string, CommandKubelet>();
  #made = 0;

  constructor(plane: ControlPlane) {
    this.plane = plane;
  }

  /** Restores the number of nodes. */
  async complete(): Promise<void> {
    while (this.nodes.size < NODES) {
      const name = `node${++this.#made}`;
      // Adds the node to the list before it is ready, because two faults may restore nodes at the same time.
      this.nodes.set(name, { node: name, vanish: () => undefined, stop: async () => undefined });
      const placeOf = (namespace: string) => this.places.get(namespace);
      this.nodes.set(name, await startCommandKubelet(this.plane.kube, name, undefined, placeOf));
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.nodes.values()].map((node) => node.stop()));
    await this.plane.stop();
  }
}

interface Bench {
  site: Site;
  product: ClusterProduct;
  lab: Laboratory;
  jobs: Map<string, Set<string>>;
  undisturbed: Results;
}

export async function playFaults(options: SuiteOptions): Promise<SuiteReport> {
  const wanted = FAULTS.filter(({ name }) => options.only?.test(name) ?? true);
  const of = (needs: Fault['needs']) => {
    const faults = wanted.filter((fault) => fault.needs === needs);
    return Array.from({ length: options.times }, () => faults).flat();
  };
  const report: SuiteReport = { rounds: [], skipped: [] };
  const ends: (() => Promise<unknown> | unknown)[] = [];
  let begun = 0;
  const play = async (bench: Bench, fault: Fault): Promise<void> => {
    if (options.until?.aborted) return;
    const { lab, product, jobs, site, undisturbed } = bench;
    const { namespace, databaseUrl, storageDir } = product;
    const evidence = { kube: site.plane.kube, namespace, databaseUrl, storageDir, jobs };
    const name = `${namespace}-${++begun}`;
    const { long, patience } = options;
    const round = new Round({ name, lab, product, evidence, long, patience, nodes: site.nodes });
    const played = await round.play(fault, undisturbed);
    report.rounds.push(played);
    options.onRound?.(played);
  };

  try {
    const { data, folder } = await makeData();
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const quick = await openSite(options, [], ends);
    // One after the other, while the first product starts, because each uses all processors.
    const breaking = async () => ({
      nodeSite: of('node').length > 0 ? await openSite(options, SOON_LOST.plane, ends) : quick,
      planeSite: of('plane').length > 0 ? await openSite(options, [], ends) : quick,
    });
    const [first, { nodeSite, planeSite }] = await Promise.all([openBench(quick, 'lane1', { data, ends }), breaking()]);
    const open = (site: Site, name: string, more: Partial<ProductOptions> = {}) =>
      openBench(site, name, { data, ends, recorded: first, ...more });

    const queue = of('product');
    const lane = async (own: Bench) => {
      for (let fault = queue.shift(); fault; fault = queue.shift()) await play(own, fault);
    };
    const lanes = async () => {
      const others = Array.from(
        { length: Math.min(lanesFor(options.times), queue.length) - 1 },
        (_, i) => `lane${i + 2}`,
      );
      await Promise.all([lane(first), ...others.map(async (name) => lane(await open(quick, name)))]);
    };
    /** Faults of a control plane affect all its products, so they have their own. */
    const planes = async () => {
      const faults = of('plane');
      if (faults.length === 0) return;
      const own = await open(planeSite, 'plane');
      for (const fault of faults) await play(own, fault);
    };
    const nodes = async () => {
      const faults = of('node');
      if (faults.length === 0) return;
      const each = [...new Set(faults)].map(async (fault, i) => {
        const own = await open(nodeSite, `nodes${i + 1}`, { operatorSettings: SOON_LOST.operator });
        for (const one of faults.filter((one) => one === fault)) {
          await nodeSite.complete();
          await play(own, one);
        }
      });
      await Promise.all(each);
    };
    const disk = async () => {
      const faults = of('disk');
      if (faults.length === 0) return;
      const mounted = mountSmallDisk();
      if ('skipped' in mounted) {
        for (const { name } of new Set(faults)) report.skipped.push({ fault: name, reason: mounted.skipped });
        return;
      }
      ends.push(() => unmountSmallDisk(mounted.folder));
      const own = await open(quick, 'small-disk', { storageDir: mounted.folder });
      for (const fault of faults) await play(own, fault);
    };
    // The longest first, because they mostly wait while others use the processors.
    await Promise.all([nodes(), planes(), lanes(), disk()]);
  } finally {
    for (const end of ends.reverse()) await end();
  }
  return report;
}

async function openSite(options: SuiteOptions, controllerManagerArgs: string[], ends: unknown[]): Promise<Site> {
  const site = new Site(await startWith(options.binaries, readDefinitions(), { controllerManagerArgs }));
  ends.push(() => site.stop());
  await site.complete();
  return site;
}

async function openBench(
  site: Site,
  namespace: string,
  given: { data: Parameters<typeof Laboratory.open>[1]; ends: unknown[]; recorded?: Bench } & Partial<ProductOptions>,
): Promise<Bench> {
  const { data, ends, recorded, ...more } = given;
  const product = await ClusterProduct.start({ ...more, plane: site.plane, namespace });
  ends.push(() => product.dispose());
  site.places.set(namespace, product.place);
  const jobs = new Map<string, Set<string>>();
  ends.push(followJobs(site.plane.kube, namespace, jobs));
  const lab = await Laboratory.open(product, data);
  if (recorded) {
    lab.playRecordOf(recorded.lab);
    return { site, product, lab, jobs, undisturbed: recorded.undisturbed };
  }
  const id = await lab.launch('undisturbed');
  const end = await lab.ended(id);
  if (end !== 'completed') throw new Error(`the undisturbed task ended ${end}`);
  lab.record(id);
  return { site, product, lab, jobs, undisturbed: await resultsOf(product, id) };
}
