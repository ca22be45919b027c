/** A pod's files: its folder with the volumes, its environment, its command line. Uses no mount namespace. */

import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Container, EnvVar, Pod } from '@seqpanel/crds/kube/core-types.ts';
import { TERMINATION_LOG_ENV } from '@seqpanel/crds/step-contract.ts';
import { parseBytes, parseCores } from '../../kube/quantity.ts';
import type { Obj } from '../objects/metadata.ts';
import { POD_ENV, RUNNER_ENV } from './pod-process.ts';

export interface PodPlace {
  /** Folder of the pod: volumes, log, termination message, TMPDIR. */
  folder: string;
  storageDir: string;
  /** Identifies the processes of this runner. */
  runner: string;
  path: string[];
  /** Returns the data of a ConfigMap in the pod's namespace. */
  configMap(name: string): Record<string, string> | undefined;
}

/** A volume cannot be set up yet; the message is the kubelet's. */
export class MountError extends Error {}

export const logFile = (folder: string): string => join(folder, 'log');
export const terminationFile = (folder: string): string => join(folder, 'termination-log');

/** Pairs of mount path and real path, the longest mount path first. */
type Mounts = [string, string][];

function mountsOf(pod: Pod, container: Container, place: PodPlace): Mounts {
  const sources = new Map<string, string>();
  for (const { name, configMap, emptyDir, persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    const folder = join(place.folder, 'volumes', name);
    if (configMap) {
      const data = place.configMap(configMap.name ?? '');
      if (!data)
        throw new MountError(`MountVolume.SetUp failed for volume "${name}" : configmap "${configMap.name}" not found`);
      for (const { key, path } of configMap.items ?? Object.keys(data).map((one) => ({ key: one, path: one }))) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), data[key] ?? '');
      }
    } else if (emptyDir) mkdirSync(folder, { recursive: true });
    sources.set(name, persistentVolumeClaim ? place.storageDir : folder);
  }
  return (container.volumeMounts ?? [])
    .filter(({ name }) => sources.has(name))
    .map(({ name, mountPath, subPath }): [string, string] => [
      mountPath.replace(/\/+$/, ''),
      join(sources.get(name)!, subPath ?? ''),
    ])
    .sort(([a], [b]) => b.length - a.length);
}

function rewrite(text: string, mounts: Mounts): string {
  const found = mounts.find(([path]) => text === path || text.startsWith(`${path}/`));
  return found ? found[1] + text.slice(found[0].length) : text;
}

/** Expands `$(NAME)` as the kubelet does; `$$(NAME)` becomes `$(NAME)`. */
const expand = (text: string, env: Record<string, string>): string =>
  text.replace(/\$(\$?)\(([A-Za-z_][\w.-]*)\)/g, (all, escaped, name) =>
    escaped ? all.slice(1) : (env[name as string] ?? all),
  );

function fieldOf(pod: Obj, path: string): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed) return pod.metadata[keyed[1] as 'labels' | 'annotations']?.[keyed[2]!] ?? '';
  return String(
    path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], pod) ?? '',
  );
}

/** resourceFieldRef: a request or limit, in units of the divisor, rounded up. */
function resourceOf({ resources }: Container, ref: { resource: string; divisor?: string }): string {
  const [kind, name = ''] = ref.resource.split('.');
  const value =
    kind === 'limits' ? (resources?.limits?.[name] ?? resources?.requests?.[name]) : resources?.requests?.[name];
  const parse = name === 'cpu' ? parseCores : parseBytes;
  const divisor = (ref.divisor && parse(ref.divisor)) || 1;
  return String(Math.ceil((parse(value ?? '') ?? 0) / divisor));
}

function variableOf(pod: Obj, container: Container, { value, valueFrom }: EnvVar): string {
  if (valueFrom?.fieldRef) return fieldOf(pod, valueFrom.fieldRef.fieldPath);
  if (valueFrom?.resourceFieldRef) return resourceOf(container, valueFrom.resourceFieldRef);
  return value ?? '';
}

/** Creates the pod's folder and returns the command with its environment. Throws MountError. */
export function preparePod(
  pod: Obj & Pod,
  place: PodPlace,
): { command: string[]; cwd: string; env: Record<string, string> } {
  const container = pod.spec!.containers[0]!;
  const tmp = join(place.folder, 'tmp');
  mkdirSync(tmp, { recursive: true });
  const mounts = mountsOf(pod, container, place);
  const env: Record<string, string> = {
    PATH: [...place.path, process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'].join(':'),
    LANG: 'C.UTF-8',
    HOME: place.folder,
    TMPDIR: tmp,
    HOSTNAME: (pod.spec as { hostname?: string }).hostname ?? pod.metadata.name!,
    ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
  };
  for (const one of container.env ?? []) env[one.name] = rewrite(expand(variableOf(pod, container, one), env), mounts);
  Object.assign(env, {
    SEQPANEL_STORAGE: place.storageDir,
    [TERMINATION_LOG_ENV]: terminationFile(place.folder),
    [POD_ENV]: pod.metadata.uid!,
    [RUNNER_ENV]: place.runner,
  });
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  const command = words.map((word) => rewrite(expand(word, env), mounts));
  return { command, cwd: container.workingDir ? rewrite(container.workingDir, mounts) : place.folder, env };
}

/** Reports whether the program is an executable path or is on the given PATH. */
export function isRunnable(program: string, path: string): boolean {
  const places = program.includes('/') ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Returns why the command cannot be started, in containerd's words. */
export function missingProgram(program: string | undefined, path: string): string | undefined {
  if (!program) return 'no command given: the local control plane runs no images';
  return isRunnable(program, path) ? undefined : `exec: "${program}": executable file not found in $PATH`;
}
