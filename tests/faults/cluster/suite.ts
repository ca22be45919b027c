/** Brings up control planes and products, plays the faults on them side by side, and gives what came of each. */
import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClusterBinaries } from '../../cluster/binaries.ts';
import { type CommandKubelet, type PodPlace, startCommandKubelet } from '../../cluster/command-kubelet.ts';
import { type ControlPlane, startWith } from '../../cluster/control-plane.ts';
import type { KubeHttp } from '../../cluster/kube-http.ts';
import { readDefinitions } from '../../kubernetes-contract/server.ts';
import { NODE_FAULTS } from './faults-of-nodes.ts';
import { POD_FAULTS } from './faults-of-pods.ts';
import { PROCESS_FAULTS } from './faults-of-processes.ts';
import { SERVER_FAULTS } from './faults-of-servers.ts';
import { mountSmallDisk, STORAGE_FAULTS, unmountSmallDisk } from './faults-of-storage.ts';
import { type Results, resultsOf } from './invariants.ts';
import { Laboratory, makeData } from './laboratory.ts';
import { ClusterProduct } from './product.ts';
import { type Fault, Round, type RoundReport } from './round.ts';

export const FAULTS: readonly Fault[] = [
  ...PROCESS_FAULTS,
  ...SERVER_FAULTS,
  ...POD_FAULTS,
  ...NODE_FAULTS,
  ...STORAGE_FAULTS,
];

export interface SuiteOptions {
  binaries: ClusterBinaries;
  /** How often each fault is played. */
  times: number;
  /** On demand: faults last as long as the table says. */
  long: boolean;
  /** How many times the limits of time may be exceeded: 1 on a machine that does nothing else. */
  patience: number;
  /** Only faults whose name it matches. */
  only?: RegExp;
  onRound?: (report: RoundReport) => void;
}

export interface SuiteReport {
  rounds: RoundReport[];
  /** Faults that this machine cannot play, with the reason. */
  skipped: { fault: string; reason: string }[];
}

const LANES = 3;
const NODES = 4;
/** The slow round whose watches fall silent has its pods behind it by then, and loses none with a node. */
const BEFORE_NODES_MS = 20_000;

/** A control plane with its nodes. */
class Site {
  readonly plane: ControlPlane;
  readonly places = new Map<string, PodPlace>();
  readonly nodes = new Map<string, CommandKubelet>();
  #made = 0;

  constructor(plane: ControlPlane) {
    this.plane = plane;
  }

  /** As many nodes as there should be. */
  async complete(): Promise<void> {
    while (this.nodes.size < NODES) {
      const name = `node${++this.#made}`;
      this.nodes.set(
        name,
        await startCommandKubelet(this.plane.kube, name, undefined, (namespace) => this.places.get(namespace)),
      );
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.nodes.values()].map((node) => node.stop()));
    await this.plane.stop();
  }
}

interface Bench {
  site: Site;
  lab: Laboratory;
  jobs: Map<string, Set<string>>;
  undisturbed: Results;
}

export async function playFaults(options: SuiteOptions): Promise<SuiteReport> {
  const wanted = FAULTS.filter(({ name }) => options.only?.test(name) ?? true);
  const of = (...needs: Fault['needs'][]) =>
    wanted
      .filter((fault) => needs.includes(fault.needs))
      .flatMap((fault) => Array.from({ length: options.times }, () => fault));
  const report: SuiteReport = { rounds: [], skipped: [] };
  const ends: (() => Promise<unknown> | unknown)[] = [];
  const play = async (bench: Bench, fault: Fault): Promise<void> => {
    const number = report.rounds.length + 1;
    const { lab, jobs, site } = bench;
    const name = `${lab.product.namespace}-${number}-${Math.round(performance.now())}`;
    const round = new Round({ name, lab, jobs, long: options.long, patience: options.patience, nodes: site.nodes });
    const played = await round.play(fault, bench.undisturbed);
    report.rounds.push(played);
    options.onRound?.(played);
  };

  try {
    const { data, folder } = await makeData();
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const quick = await openSite(options, [], ends);
    const first = await openBench(quick, 'lane1', { data, ends });
    const slow =
      of('node', 'slow').length > 0 ? await openSite(options, ['--node-monitor-grace-period=10s'], ends) : quick;
    const bench = (site: Site, name: string, storageDir?: string) =>
      openBench(site, name, { data, ends, recorded: first, ...(storageDir && { storageDir }) });

    const queue = of('product');
    const lane = async (own: Bench) => {
      for (let fault = queue.shift(); fault; fault = queue.shift()) await play(own, fault);
    };
    const oneByOne = async (site: Site, name: string, faults: Fault[]) => {
      if (faults.length === 0) return;
      const own = await bench(site, name);
      for (const fault of faults) {
        await play(own, fault);
        await site.complete();
      }
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
      const own = await bench(quick, 'small-disk', mounted.folder);
      for (const fault of faults) await play(own, fault);
    };
    const lanes = async () => {
      const others = Array.from({ length: Math.min(LANES, queue.length) - 1 }, (_, i) => `lane${i + 2}`);
      const more = others.map(async (name) => lane(await bench(quick, name)));
      await Promise.all([lane(first), ...more, disk()]);
      // What is done to the control plane is done to everybody on it.
      for (const fault of of('plane')) await play(first, fault);
    };
    const nodes = async () => {
      const faults = of('node');
      if (faults.length > 0) await wait(BEFORE_NODES_MS);
      await Promise.all(
        [...new Set(faults)].map((fault, i) =>
          oneByOne(
            slow,
            `nodes${i + 1}`,
            faults.filter((one) => one === fault),
          ),
        ),
      );
    };
    await Promise.all([lanes(), oneByOne(slow, 'silent', of('slow')), nodes()]);
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
  given: { data: Parameters<typeof Laboratory.open>[1]; ends: unknown[]; recorded?: Bench; storageDir?: string },
): Promise<Bench> {
  const { data, ends, recorded, storageDir } = given;
  const product = await ClusterProduct.start({ plane: site.plane, namespace, ...(storageDir && { storageDir }) });
  ends.push(() => product.dispose());
  site.places.set(namespace, product.place);
  const jobs = new Map<string, Set<string>>();
  ends.push(followJobs(site.plane.kube, namespace, jobs));
  const lab = await Laboratory.open(product, data);
  if (recorded) {
    lab.playRecordOf(recorded.lab);
    return { site, lab, jobs, undisturbed: recorded.undisturbed };
  }
  const id = await lab.launch('undisturbed');
  const end = await lab.ended(id);
  if (end !== 'completed') throw new Error(`the undisturbed task ended ${end}`);
  lab.record(id);
  return { site, lab, jobs, undisturbed: await resultsOf(product, id) };
}

/** Notes the uid of every Job of a namespace, under its name, until the function given back is called. */
function followJobs(kube: KubeHttp, namespace: string, jobs: Map<string, Set<string>>): () => void {
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  let stopped = false;
  let watch: ReturnType<KubeHttp['watch']> | undefined;
  const note = ({ metadata }: { metadata: { name: string; uid: string } }) =>
    jobs.set(metadata.name, (jobs.get(metadata.name) ?? new Set()).add(metadata.uid));
  void (async () => {
    while (!stopped) {
      try {
        const { items, metadata } = await kube.get(path);
        items.forEach(note);
        watch = kube.watch(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`);
        for await (const { type, object } of watch.events) if (type === 'ADDED') note(object);
      } catch {
        // the API server is away, which may be the fault
      }
      await wait(200);
    }
  })();
  return () => {
    stopped = true;
    watch?.stop();
  };
}
