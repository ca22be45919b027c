/** The built-in kinds that SeqPanel uses: the types of @kubernetes/client-node as JSON. */

import type {
  CoreV1Event,
  V1ConfigMap,
  V1Container,
  V1ContainerState,
  V1EnvVar,
  V1Job,
  V1JobCondition,
  V1Lease,
  V1Node,
  V1NodeCondition,
  V1ObjectMeta,
  V1OwnerReference,
  V1Pod,
  V1PodCondition,
  V1PodFailurePolicyRule,
  V1PodSpec,
  V1Scale,
  V1Toleration,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';

/**
 * A type of client-node as JSON. client-node uses Date for timestamps and class instances for objects. Our client keeps
 * plain objects and RFC 3339 text, so that nothing is copied or converted.
 */
export type AsJson<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? AsJson<Item>[]
    : T extends object
      ? { [Key in keyof T]: AsJson<T[Key]> }
      : T;

export type ObjectMeta = AsJson<V1ObjectMeta>;
export type OwnerReference = AsJson<V1OwnerReference>;
export type ConfigMap = AsJson<V1ConfigMap>;
/** A pod with the fields that the API server requires. The type also covers templates, which do not need them. */
export type Container = AsJson<V1Container> & { image: string };
export type ContainerState = AsJson<V1ContainerState>;
export type CoreEvent = AsJson<CoreV1Event>;
export type EnvVar = AsJson<V1EnvVar>;
export type Job = AsJson<V1Job> & { spec?: { template: { spec: PodSpec } } };
export type KubeNode = AsJson<V1Node>;
export type Lease = AsJson<V1Lease>;
export type Pod = AsJson<V1Pod> & { spec?: PodSpec; status?: { phase?: PodPhase } };
export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
export type PodFailurePolicyRule = AsJson<V1PodFailurePolicyRule>;
export type PodSpec = AsJson<V1PodSpec> & { containers: Container[]; initContainers?: Container[] };
export type Scale = AsJson<V1Scale>;
export type Toleration = AsJson<V1Toleration>;
export type Volume = AsJson<V1Volume>;
export type VolumeMount = AsJson<V1VolumeMount>;
/** A condition of a built-in kind. Conditions of our kinds have more required fields. */
export type CoreCondition = AsJson<V1JobCondition | V1NodeCondition | V1PodCondition>;
