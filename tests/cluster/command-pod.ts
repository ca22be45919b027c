/** Derives from a pod the command, environment and files of its process, and its status. */
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { preparePod } from '../../operator/src/local/pods/pod-files.ts';
import type { KubeHttp, KubeObject } from './kube-http.ts';

/** Folders of this machine for the pods of a namespace. */
export interface PodPlace {
  /** Folder of the storage claim. */
  storageDir: string;
  /** First folders of PATH. */
  path: string[];
}

const TERMINATION_MESSAGE_MAX = 4096;

/** The API server accepts whole seconds. */
export const now = () => `${new Date().toISOString().slice(0, 19)}Z`;

/** Returns the command with the pod's volumes as folders, and an open file for its output. */
export async function placed(
  kube: KubeHttp,
  pod: KubeObject,
  place: PodPlace,
  folder: string,
): Promise<{ command: string[]; env: Record<string, string>; output: number }> {
  const home = join(folder, `pod-${pod.metadata.uid}`);
  mkdirSync(home, { recursive: true });
  const data = new Map<string, Record<string, string>>();
  for (const { configMap } of pod.spec.volumes ?? []) {
    if (!configMap) continue;
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/configmaps/${configMap.name}`;
    data.set(configMap.name, (await kube.get(path)).data);
  }
  const prepared = preparePod(pod, { ...place, folder: home, runner: folder, configMap: (name) => data.get(name) });
  return { ...prepared, output: openSync(join(home, 'log'), 'a') };
}

/** Supports plain values and the field references that Jobs use. */
export function envOf(pod: KubeObject, container: KubeObject): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { name, value, valueFrom } of container.env ?? []) {
    const field = valueFrom?.fieldRef?.fieldPath as string | undefined;
    const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(field ?? '');
    env[name] = keyed
      ? (pod.metadata[keyed[1]!]?.[keyed[2]!] ?? '')
      : field
        ? String(field.split('.').reduce((at: KubeObject, key) => at?.[key], pod) ?? '')
        : (value ?? '');
  }
  return env;
}

export function readMessage(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, TERMINATION_MESSAGE_MAX);
  } catch {
    return '';
  }
}

export function ready(isReady: boolean) {
  const status = isReady ? 'True' : 'False';
  return ['Ready', 'ContainersReady'].map((type) => ({ type, status, lastTransitionTime: now() }));
}

export function containerStatus(container: KubeObject, state: unknown, isReady: boolean) {
  return { name: container.name, image: container.image, imageID: '', restartCount: 0, ready: isReady, state };
}
