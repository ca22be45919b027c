/** A server under the contract, and how the two are started. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type ClusterBinaries, findBinaries } from '../cluster/binaries.ts';
import { startCommandKubelet } from '../cluster/command-kubelet.ts';
import { startWith } from '../cluster/control-plane.ts';
import { KubeHttp, type KubeObject } from '../cluster/kube-http.ts';
import { operatorKubeconfig } from '../cluster/privileges.ts';

export interface ContractServer {
  kube: KubeHttp;
  url: string;
  /** Path of a kubeconfig file. */
  kubeconfig: string;
  /**
   * Path of the kubeconfig of the operator of a namespace, called once for each: on the real control plane with the
   * account and the rights that the chart gives it; the local one has one user alone.
   */
  operatorKubeconfig(namespace: string): Promise<string>;
  /** Absent where the control plane's binaries are not built. */
  kubectl?: string;
  /** Makes the server forget what came before now. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

/** The suite's blocks are declared before the server runs, so they are given a way to it. */
export type Server = () => ContractServer;

const YAML = join(import.meta.dirname, '../../crds/yaml');

/** The five CustomResourceDefinitions, parsed. */
export function readDefinitions(): KubeObject[] {
  return readdirSync(YAML).map((name) => parse(readFileSync(join(YAML, name), 'utf8')));
}

/** The real control plane with our kinds, and one node that runs pods' commands. */
export async function startRealServer(binaries: ClusterBinaries): Promise<ContractServer> {
  const plane = await startWith(binaries, readDefinitions());
  try {
    const kubelet = await startCommandKubelet(plane.kube, 'node1');
    return {
      ...plane,
      operatorKubeconfig: (namespace) => operatorKubeconfig(plane, namespace),
      stop: async () => {
        await kubelet.stop();
        await plane.stop();
      },
    };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** The local control plane in a process of its own, with a machine of the size that the command kubelet has. */
export async function startLocalServer(): Promise<ContractServer> {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-local-'));
  const child = fork(join(import.meta.dirname, 'local-process.ts'), [folder], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const answer = async () => {
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
    return (await Promise.race([once(child, 'message'), ended]))[0];
  };
  const local = (await answer()) as { url: string; token: string };
  const kube = new KubeHttp(local);
  const binaries = findBinaries();
  return {
    kube,
    url: local.url,
    kubeconfig: join(folder, 'kubeconfig'),
    operatorKubeconfig: async () => join(folder, 'kubeconfig'),
    ...('kubectl' in binaries && { kubectl: binaries.kubectl }),
    compact: async () => {
      child.send('compact');
      await answer();
    },
    stop: async () => {
      kube.close();
      const ended = once(child, 'exit');
      child.send('stop');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A new namespace in which objects with service accounts can be made at once. */
export async function makeNamespace(kube: KubeHttp, name: string): Promise<string> {
  await kube.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}
