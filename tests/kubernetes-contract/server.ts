/** A server that the contract tests, and functions that start the two servers. */
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
   * Returns the path of the operator's kubeconfig for a namespace. Called once per namespace. On the real control
   * plane it has the account and rights of the chart; the local one has only one user.
   */
  operatorKubeconfig(namespace: string): Promise<string>;
  /** Absent when the control plane's binaries are not built. */
  kubectl?: string;
  /** Compacts all earlier versions. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the server. A function, because the suite's blocks are declared before it runs. */
export type Server = () => ContractServer;

const YAML = join(import.meta.dirname, '../../crds/yaml');

/** The five CustomResourceDefinitions, parsed. */
export function readDefinitions(): KubeObject[] {
  return readdirSync(YAML).map((name) => parse(readFileSync(join(YAML, name), 'utf8')));
}

/** Starts the real control plane with our kinds, and one node that runs the commands of pods. */
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

/** Starts the local control plane in its own process, with a machine of the command kubelet's size. */
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

/** Creates a namespace whose service account exists, so that pods can be created immediately. */
export async function makeNamespace(kube: KubeHttp, name: string): Promise<string> {
  await kube.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}
