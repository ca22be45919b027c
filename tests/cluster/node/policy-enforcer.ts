/** Applies the NetworkPolicies of a cluster to a node's packet filter, from a pod's first packet on. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeHttp, KubeObject } from '../kube-http.ts';
import { type PlacedPod, policyRules } from './policy-rules.ts';

/** Folder where the pod network's library writes each pod's address before its first container starts. */
const NOTED = '/var/lib/cni/results';
/** A pod's object and its address arrive separately and are handled as one change. */
const GATHER_MS = 20;
const RETRY_MS = 1000;

export interface EnforcerOptions {
  kube: KubeHttp;
  /** Network of the CNI settings. Only its pods are filtered. */
  network: string;
  range: string;
  /** Called when a table could not be set. The previous one stays, and it is retried. */
  onError: (error: unknown) => void;
}

/** Watches until the process ends. Resolves when the table is set for the first time. */
export async function enforcePolicies({ kube, network, range, onError }: EnforcerOptions): Promise<void> {
  const [pods, namespaces, policies]: [Store, Store, Store] = [new Map(), new Map(), new Map()];
  let applied = '';
  const apply = () => {
    const known = {
      pods: placed(network, pods),
      namespaces: [...namespaces.values()],
      policies: [...policies.values()],
    };
    const rules = policyRules({ range, ...known });
    if (rules === applied) return;
    execFileSync('nft', ['-f', '-'], { input: rules, stdio: ['pipe', 'ignore', 'pipe'] });
    applied = rules;
  };
  let planned = false;
  const plan = (ms = GATHER_MS) => {
    if (planned) return;
    planned = true;
    setTimeout(() => {
      planned = false;
      try {
        apply();
      } catch (error) {
        onError(error);
        plan(RETRY_MS);
      }
    }, ms);
  };
  mkdirSync(NOTED, { recursive: true });
  watch(NOTED, () => plan()).on('error', onError);
  await Promise.all([
    follow(kube, '/api/v1/pods', pods, plan, onError),
    follow(kube, '/api/v1/namespaces', namespaces, plan, onError),
    follow(kube, '/apis/networking.k8s.io/v1/networkpolicies', policies, plan, onError),
  ]);
  apply();
}

/** Objects by uid. */
type Store = Map<string, KubeObject>;

/** Keeps all objects of a kind in the store. Resolves when they are listed. */
async function follow(
  kube: KubeHttp,
  path: string,
  store: Store,
  changed: () => void,
  onError: (error: unknown) => void,
): Promise<void> {
  const list = async (): Promise<string> => {
    const { items, metadata } = await kube.get(path);
    store.clear();
    for (const item of items) store.set(item.metadata.uid, item);
    changed();
    return metadata.resourceVersion;
  };
  const keep = async (listed: string) => {
    for (let version: string | undefined = listed; ; ) {
      try {
        version ??= await list();
        for await (const { type, object } of kube.watch(`${path}?watch=true&resourceVersion=${version}`).events) {
          if (type === 'ERROR') throw new Error(object.message);
          version = object.metadata.resourceVersion as string;
          if (type === 'DELETED') store.delete(object.metadata.uid);
          else store.set(object.metadata.uid, object);
          changed();
        }
      } catch (error) {
        onError(error);
        version = undefined;
        await sleep(RETRY_MS);
      }
    }
  };
  void keep(await list());
}

/** Returns pods with a known address. The file of a pod is deleted with its network. */
function placed(network: string, pods: Store): PlacedPod[] {
  return readdirSync(NOTED).flatMap((name) => {
    if (!name.startsWith(`${network}-`)) return [];
    const note = readNote(join(NOTED, name));
    const pod = note && pods.get(note.uid);
    return pod ? [{ address: note.address, pod }] : [];
  });
}

/** Undefined for a file that is being written or deleted, whose next change triggers an event. */
function readNote(path: string): { uid: string; address: string } | undefined {
  try {
    const { cniArgs, result } = JSON.parse(readFileSync(path, 'utf8'));
    const uid = cniArgs.find(([key]: [string]) => key === 'K8S_POD_UID')[1];
    return { uid, address: result.ips[0].address.split('/')[0] };
  } catch {
    return undefined;
  }
}
