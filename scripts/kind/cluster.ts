/** Creates, fills and deletes the kind cluster. */

import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAKE_FOLDERS, NAME, REMOVE_FOLDERS } from './installation.ts';
import type { Programs } from './programs.ts';
import type { Run } from './runner.ts';

const CONTEXT = `kind-${NAME}`;
const NODES_READY = '5m';
const DELETE_ATTEMPTS = 5;

export class KindCluster {
  readonly kubeconfig: string;
  readonly #programs: Programs;
  readonly #run: Run;

  constructor(programs: Programs, run: Run, kubeconfig: string) {
    this.#programs = programs;
    this.#run = run;
    this.kubeconfig = kubeconfig;
  }

  #kind(args: readonly string[], show = false): Promise<string> {
    return this.#run(this.#programs.kind, [...args, '--name', NAME], { show });
  }

  /** Runs kubectl in the namespace of the installation. */
  kubectl(args: readonly string[], input?: string): Promise<string> {
    const where = ['--kubeconfig', this.kubeconfig, '--context', CONTEXT, '--namespace', NAME];
    return this.#run(this.#programs.kubectl, [...args, ...where], input === undefined ? {} : { input });
  }

  helm(args: readonly string[]): Promise<string> {
    const where = ['--kubeconfig', this.kubeconfig, '--kube-context', CONTEXT, '--namespace', NAME];
    return this.#run(this.#programs.helm, [...args, ...where]);
  }

  async exists(): Promise<boolean> {
    return (await this.#nodes()).length > 0;
  }

  /** Includes nodes of an incompletely created cluster. */
  async #nodes(): Promise<string[]> {
    const nodes = await this.#kind(['get', 'nodes']);
    return nodes.split('\n').filter((line) => line.startsWith(`${NAME}-`));
  }

  async create(config: string, image: string | undefined): Promise<void> {
    mkdirSync(dirname(this.kubeconfig), { recursive: true, mode: 0o700 });
    const node = image === undefined ? [] : ['--image', image];
    const where = ['--config', config, '--kubeconfig', this.kubeconfig];
    await this.#kind(['create', 'cluster', ...where, '--wait', NODES_READY, ...node], true);
  }

  /** Writes the kubeconfig again, because the address changes when a cluster restarts. */
  async exportKubeconfig(): Promise<void> {
    mkdirSync(dirname(this.kubeconfig), { recursive: true, mode: 0o700 });
    await this.#kind(['export', 'kubeconfig', '--kubeconfig', this.kubeconfig]);
  }

  async load(archives: readonly string[]): Promise<void> {
    // Loads one image at a time, because kind warns about several.
    for (const archive of archives) await this.#kind(['load', 'image-archive', archive]);
  }

  async makeFolders(): Promise<void> {
    for (const node of await this.#nodes()) await this.#shell(node, MAKE_FOLDERS);
  }

  #shell(node: string, script: string): Promise<string> {
    return this.#run(this.#programs.docker, ['exec', node, 'sh', '-c', script]);
  }

  /** Deletes the cluster with its files. Returns false when there was none. */
  async delete(): Promise<boolean> {
    const nodes = await this.#nodes();
    // The files are in a folder of the machine and belong to users of the pods. A stopped node keeps them.
    for (const node of nodes) {
      await this.#shell(node, REMOVE_FOLDERS).catch((error: Error) => console.log(error.message));
    }
    await this.#kind(['delete', 'cluster', '--kubeconfig', this.kubeconfig]);
    // Docker may still create a container requested by an interrupted kind.
    for (let attempt = 1; attempt < DELETE_ATTEMPTS; attempt++) {
      await sleep(500);
      if (!(await this.exists())) break;
      await this.#kind(['delete', 'cluster', '--kubeconfig', this.kubeconfig]);
    }
    rmSync(this.kubeconfig, { force: true });
    return nodes.length > 0;
  }
}
