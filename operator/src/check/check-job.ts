/** Builds the single-index Job that checks one resource, and its spec file. */

import { createHash } from 'node:crypto';
import { STEP_LABEL, type WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { ConfigMap, Job, OwnerReference, Volume, VolumeMount } from '@seqpanel/crds/kube/core-types.ts';
import { apiVersionOf, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { STEP_ENV } from '@seqpanel/crds/step-contract.ts';
import { FAILURE_POLICY } from '../jobs/failure-policy.ts';
import { componentLabels } from '../jobs/labels.ts';
import { placementOf } from '../jobs/placement.ts';
import { KEEP_NODE, podSpec } from '../jobs/pod-spec.ts';
import { formatMebibytes } from '../kube/quantity.ts';
import type { Checked, CheckKind, CheckSettings, Folder } from './check-kind.ts';

/** Hash of the content that a check reads. Unchanged content is not checked again. */
export const contentHash = <T extends Checked>(kind: CheckKind<T>, object: Stored<T>): string =>
  createHash('sha256')
    .update(JSON.stringify(kind.content(object)))
    .digest('hex');

/**
 * Returns a name that changes with the checked content and ends in the number of memory doublings. At most 61
 * characters: the pod is named after the Job and its index, and the API server rejects pod names over 63 characters.
 */
export const checkJobName = <T extends Checked>(kind: CheckKind<T>, object: Stored<T>, doubled: number): string => {
  const name = object.metadata.name
    .slice(0, 33)
    .replace(/[^a-z0-9]+$/, '')
    .replaceAll('.', '-');
  const own = createHash('sha256')
    .update(object.metadata.uid + contentHash(kind, object))
    .digest('hex')
    .slice(0, 10);
  return `${kind.step}-${name}-${own}-${doubled}`;
};

export function buildCheck<T extends Checked>(
  kind: CheckKind<T>,
  object: Stored<T>,
  doubled: number,
  pools: readonly Stored<WorkerPool>[],
  settings: CheckSettings,
): { configMap: ConfigMap; job: Job } {
  const name = checkJobName(kind, object, doubled);
  const owner: OwnerReference = {
    apiVersion: apiVersionOf(kind.resource),
    kind: kind.resource.kind,
    name: object.metadata.name,
    uid: object.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const labels = { ...componentLabels(kind.component(object)), [STEP_LABEL]: kind.step };
  const placement = placementOf(kind.machine?.(object), pools);
  const metadata = {
    name,
    ...(object.metadata.namespace !== undefined && { namespace: object.metadata.namespace }),
    labels,
    ownerReferences: [owner],
  };
  const outside = outsideOf(kind.component(object) === 'genome' ? settings : {});
  return {
    configMap: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      immutable: true,
      data: { [kind.specFile]: JSON.stringify(kind.content(object)) },
    },
    job: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: {
        completionMode: 'Indexed',
        completions: 1,
        parallelism: 1,
        backoffLimitPerIndex: 2,
        podFailurePolicy: FAILURE_POLICY,
        template: {
          metadata: { labels: { ...labels, ...placement.labels }, annotations: KEEP_NODE },
          spec: podSpec({
            container: {
              name: 'step',
              image: settings.image,
              command: ['seqpanel-step', kind.step],
              args: ['--spec', `/etc/seqpanel/${kind.specFile}`],
              env: [
                { name: STEP_ENV.podUid, valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
                {
                  name: STEP_ENV.cpus,
                  valueFrom: { resourceFieldRef: { containerName: 'step', resource: 'requests.cpu', divisor: '1' } },
                },
                {
                  name: STEP_ENV.memoryMiB,
                  valueFrom: {
                    resourceFieldRef: { containerName: 'step', resource: 'requests.memory', divisor: '1Mi' },
                  },
                },
                ...Object.entries({ ...kind.env?.(settings), ...outside.env }).map(([key, value]) => ({
                  name: key,
                  value,
                })),
              ],
            },
            resources: { cpu: kind.cpu, memory: formatMebibytes(kind.memory * 2 ** doubled) },
            timeoutSeconds: kind.timeoutSeconds,
            configMap: name,
            mounts: [...storageOf(kind.folders(object), settings.pod.storageMountPath), ...outside.mounts],
            volumes: outside.volumes,
            placement,
            settings: settings.pod,
          }),
        },
      },
    },
  };
}

/** Mounts only the resource's own folders, because tools parse user files there. */
const storageOf = (folders: readonly Folder[], root: string): VolumeMount[] =>
  folders.map(({ path, readOnly }) => ({
    name: 'storage',
    mountPath: `${root}/${path}`,
    subPath: path,
    ...(readOnly && { readOnly }),
  }));

const CA_MOUNT = '/etc/seqpanel-ca';

/** Proxy and additional CA certificates for pods that download. */
function outsideOf({ outside }: Partial<Pick<CheckSettings, 'outside'>>): {
  env: Record<string, string>;
  mounts: VolumeMount[];
  volumes: Volume[];
} {
  const { proxy = '', noProxy = '', caConfigMap = '' } = outside ?? {};
  return {
    env: {
      ...(proxy && { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy, NO_PROXY: noProxy }),
      ...(caConfigMap && { NODE_EXTRA_CA_CERTS: `${CA_MOUNT}/ca.crt` }),
    },
    mounts: caConfigMap ? [{ name: 'ca', mountPath: CA_MOUNT, readOnly: true }] : [],
    volumes: caConfigMap ? [{ name: 'ca', configMap: { name: caConfigMap } }] : [],
  };
}
