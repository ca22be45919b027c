/** The pod that runs one program of a pipeline image: restricted, without an API token, on the shared storage. */

import type { Container, PodSpec, VolumeMount } from '@seqpanel/crds/kube/core-types.ts';

/** What every pod has from the installation. */
export interface PodSettings {
  storageClaim: string;
  /** Where the storage root is in the container; the image sets SEQPANEL_STORAGE to it. */
  storageMountPath: string;
  runAsUser: number;
  fsGroup: number;
  serviceAccount: string;
}

export interface ProgramPod {
  container: Container;
  resources: { cpu?: string; memory?: string; ephemeralStorage?: string };
  timeoutSeconds: number;
  /** Mounted at /etc/seqpanel. */
  configMap: string;
  mounts: VolumeMount[];
  settings: PodSettings;
}

/** Long enough to end the tools of a pipe and to remove the work folder. */
const GRACE_SECONDS = 30;
/** A node that is away for longer is given up; its pods start elsewhere. */
const AWAY_SECONDS = 60;

export function podSpec({ container, resources, timeoutSeconds, configMap, mounts, settings }: ProgramPod): PodSpec {
  const { cpu = '1', memory = '1Gi', ephemeralStorage } = resources;
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
    tolerations: [away('not-ready'), away('unreachable')],
    securityContext: {
      runAsNonRoot: true,
      runAsUser: settings.runAsUser,
      runAsGroup: settings.fsGroup,
      fsGroup: settings.fsGroup,
      // Walking a whole storage to change owners would take hours.
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        ...container,
        resources: {
          requests: { cpu, memory, ...(ephemeralStorage && { 'ephemeral-storage': ephemeralStorage }) },
          // No limit of cpu: idle processors may be used. Memory is limited to what is asked for, so that a step that
          // needs more is ended itself, and not a neighbour.
          limits: { memory, ...(ephemeralStorage && { 'ephemeral-storage': ephemeralStorage }) },
        },
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
    ],
  };
}
