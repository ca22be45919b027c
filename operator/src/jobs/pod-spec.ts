/** The pod that runs one program of a pipeline image: restricted, without an API token, with the shared storage. */

import { imageFrom } from '@seqpanel/crds/images.ts';
import type { Container, PodSpec, Volume, VolumeMount } from '@seqpanel/crds/kube/core-types.ts';
import type { Placement } from './placement.ts';

/** Settings of the installation that every pod gets. */
export interface PodSettings {
  storageClaim: string;
  /** Mount path of the storage root; the image sets SEQPANEL_STORAGE to it. */
  storageMountPath: string;
  /** Undefined lets the platform choose, as OpenShift does. */
  runAsUser: number | undefined;
  fsGroup: number | undefined;
  serviceAccount: string;
  /** Empty uses the cluster's default. */
  priorityClass: string;
  pullSecrets: string[];
  /** Registry of images that name none. Empty leaves the choice to the container runtime. */
  imageRegistry: string;
}

export interface ProgramPod {
  container: Container;
  resources: { cpu?: string; memory?: string; ephemeralStorage?: string };
  timeoutSeconds: number;
  /** Mounted at /etc/seqpanel. */
  configMap: string;
  mounts: VolumeMount[];
  /** Volumes besides spec, tmp and storage. */
  volumes?: Volume[];
  placement: Placement;
  /** Pods with these labels are spread over the nodes where possible. */
  spread?: Record<string, string>;
  settings: PodSettings;
}

/** Long enough to end a pipe of tools and to delete the work folder. */
const GRACE_SECONDS = 30;
/** A node that is unreachable for longer is given up; its pods start elsewhere. */
const AWAY_SECONDS = 60;

/**
 * Asks autoscalers not to remove the node before the pod ends, because that would lose hours of work. Other software
 * ignores these annotations.
 */
export const KEEP_NODE = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
};

export function podSpec(pod: ProgramPod): PodSpec {
  const { container, resources, timeoutSeconds, configMap, mounts, placement, settings } = pod;
  const { cpu = '1', memory = '1Gi', ephemeralStorage } = resources;
  const asked = { cpu, memory, ...(ephemeralStorage && { 'ephemeral-storage': ephemeralStorage }) };
  const away = (key: string) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: AWAY_SECONDS,
  });
  return {
    restartPolicy: 'Never',
    activeDeadlineSeconds: timeoutSeconds,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    serviceAccountName: settings.serviceAccount,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...(settings.priorityClass && { priorityClassName: settings.priorityClass }),
    ...(settings.pullSecrets.length > 0 && { imagePullSecrets: settings.pullSecrets.map((name) => ({ name })) }),
    ...(Object.keys(placement.nodeSelector).length > 0 && { nodeSelector: placement.nodeSelector }),
    tolerations: [away('not-ready'), away('unreachable'), ...placement.tolerations],
    ...(pod.spread && {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: pod.spread },
        },
      ],
    }),
    securityContext: {
      runAsNonRoot: true,
      ...(settings.runAsUser !== undefined && { runAsUser: settings.runAsUser }),
      ...(settings.fsGroup !== undefined && { runAsGroup: settings.fsGroup, fsGroup: settings.fsGroup }),
      // Changing the owner of every file in the storage would take hours.
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        ...container,
        image: imageFrom(settings.imageRegistry, container.image),
        // Limits equal requests: a step that exceeds its memory is killed instead of a neighbour, and a LimitRange adds no
        // limit of its own, which might be below the request.
        resources: { requests: asked, limits: asked },
        terminationMessagePolicy: 'FallbackToLogsOnError',
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [
          { name: 'spec', mountPath: '/etc/seqpanel', readOnly: true },
          { name: 'tmp', mountPath: '/tmp' },
          ...mounts,
        ],
      },
    ],
    volumes: [
      { name: 'spec', configMap: { name: configMap } },
      { name: 'tmp', emptyDir: {} },
      { name: 'storage', persistentVolumeClaim: { claimName: settings.storageClaim } },
      ...(pod.volumes ?? []),
    ],
  };
}
