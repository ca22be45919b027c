/**
 * The built-in Kubernetes types, cut to what SeqPanel writes or reads (batch/v1, core/v1, coordination.k8s.io/v1).
 * Timestamps are RFC 3339 text, as on the wire.
 */

import type { KubeObject } from './objects.ts';

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: { fieldPath: string };
    resourceFieldRef?: { resource: string; containerName?: string; divisor?: string };
  };
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
  readOnly?: boolean;
}

export interface Container {
  name: string;
  image: string;
  imagePullPolicy?: string;
  command?: string[];
  args?: string[];
  env?: EnvVar[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  volumeMounts?: VolumeMount[];
  terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
  terminationMessagePath?: string;
  securityContext?: Record<string, unknown>;
  workingDir?: string;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface Volume {
  name: string;
  configMap?: { name: string; items?: { key: string; path: string }[] };
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  emptyDir?: { sizeLimit?: string };
}

export interface PodSpec {
  restartPolicy?: 'Never' | 'OnFailure' | 'Always';
  activeDeadlineSeconds?: number;
  terminationGracePeriodSeconds?: number;
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  nodeSelector?: Record<string, string>;
  nodeName?: string;
  tolerations?: Toleration[];
  securityContext?: Record<string, unknown>;
  priorityClassName?: string;
  imagePullSecrets?: { name: string }[];
  topologySpreadConstraints?: {
    maxSkew: number;
    topologyKey: string;
    whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
    labelSelector?: { matchLabels?: Record<string, string> };
  }[];
  initContainers?: Container[];
  /** Resources that the runtime class takes besides those of the containers. */
  overhead?: Record<string, string>;
  schedulingGates?: { name: string }[];
  containers: Container[];
  volumes?: Volume[];
}

/** A condition of a built-in kind; ours carry more required fields. */
export interface CoreCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastProbeTime?: string;
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: {
    exitCode: number;
    signal?: number;
    reason?: string;
    message?: string;
    startedAt?: string;
    finishedAt?: string;
  };
}

export interface Pod extends KubeObject {
  spec?: PodSpec;
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    reason?: string;
    message?: string;
    startTime?: string;
    conditions?: CoreCondition[];
    containerStatuses?: {
      name: string;
      ready?: boolean;
      restartCount?: number;
      image?: string;
      imageID?: string;
      state?: ContainerState;
      lastState?: ContainerState;
    }[];
  };
}

export interface PodFailurePolicyRule {
  action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';
  onExitCodes?: { containerName?: string; operator: 'In' | 'NotIn'; values: number[] };
  onPodConditions?: { type: string; status: string }[];
}

export interface Job extends KubeObject {
  spec?: {
    completionMode?: 'Indexed' | 'NonIndexed';
    completions?: number;
    parallelism?: number;
    suspend?: boolean;
    backoffLimit?: number;
    backoffLimitPerIndex?: number;
    maxFailedIndexes?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    podFailurePolicy?: { rules: PodFailurePolicyRule[] };
    template: { metadata?: KubeObject['metadata']; spec: PodSpec };
  };
  status?: {
    active?: number;
    ready?: number;
    terminating?: number;
    succeeded?: number;
    failed?: number;
    startTime?: string;
    completionTime?: string;
    completedIndexes?: string;
    failedIndexes?: string;
    conditions?: CoreCondition[];
  };
}

export interface ConfigMap extends KubeObject {
  immutable?: boolean;
  data?: Record<string, string>;
}

export interface CoreEvent extends KubeObject {
  type?: 'Normal' | 'Warning';
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string;
  lastTimestamp?: string;
  reportingComponent?: string;
  reportingInstance?: string;
  source?: { component?: string };
  involvedObject: {
    apiVersion?: string;
    kind?: string;
    namespace?: string;
    name?: string;
    uid?: string;
    resourceVersion?: string;
  };
}

export interface KubeNode extends KubeObject {
  spec?: { unschedulable?: boolean; providerID?: string; taints?: { key: string; value?: string; effect: string }[] };
  status?: {
    conditions?: CoreCondition[];
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    addresses?: { type: string; address: string }[];
  };
}

/** autoscaling/v1, the body of every `/scale`. */
export interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas: number; selector?: string };
}

export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export interface Namespace extends KubeObject {
  status?: { phase?: string };
}
