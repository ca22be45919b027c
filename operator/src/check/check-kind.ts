/** Common types of the kinds that a Job checks, and the definition that each kind provides. */

import type { Condition } from '@seqpanel/crds/kinds.ts';
import type { KubeObject, Resource, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Component } from '../jobs/labels.ts';
import type { PodSettings } from '../jobs/pod-spec.ts';
import type { ConditionUpdate } from '../kube/conditions.ts';

export interface CheckedStatus {
  observedGeneration?: number;
  /** Hash of the content that the last check read. */
  checkedSha256?: string;
  checkJob?: string;
  conditions?: Condition[];
}

export interface Checked extends KubeObject {
  spec: { displayName: string; value: string };
  status?: CheckedStatus;
}

export interface CheckSettings {
  /** Image of the check Jobs, as a Pipeline would name it. */
  image: string;
  /** Interval before a check that could not run is repeated, ms. */
  repeatMs: number;
  jobTtlSeconds: number;
  /** How many times the memory is doubled after a check ran out of it. */
  memoryDoublings: number;
  /** A pod that cannot start for this time is reported, ms. */
  stuckMs: number;
  /** Hosts that genomes may be downloaded from. */
  genomeHosts: string[];
  /** Proxy and CA certificates for pods that download. */
  outside?: { proxy: string; noProxy: string; caConfigMap: string };
  pod: PodSettings;
}

/** Condition types of both kinds. */
export const VALID = 'Valid';
export const READY = 'Ready';

export const CHECK_REASON = {
  checking: 'Checking',
  checked: 'Checked',
  /** The Job ended without a result. */
  error: 'CheckError',
  /** The API server rejected the Job. */
  refused: 'JobRefused',
  duplicate: 'Duplicate',
  misnamed: 'Misnamed',
} as const;

export interface Folder {
  /** Path below the storage root. */
  path: string;
  readOnly: boolean;
}

/** A kind of resource that is checked by a Job. `T` is the resource. */
export interface CheckKind<T extends Checked> {
  resource: Resource<T>;
  /** Program and the name of its spec file. */
  step: 'check-panel' | 'install-genome';
  specFile: 'panel-type.json' | 'genome.json';
  /** Requests of the first Job; memory in bytes, doubled when the check runs out of it. */
  cpu: string;
  memory: number;
  /** Message of Valid when there is no problem. */
  validMessage: string;
  timeoutSeconds: number;
  env?: (settings: CheckSettings) => Record<string, string>;
  /** Purpose of its pods. */
  component: (object: Stored<T>) => Component;
  /** Folders of the storage that its pods mount. */
  folders: (object: Stored<T>) => Folder[];
  /** Machine type that it requests. */
  machine?: (object: Stored<T>) => string | undefined;
  /** Input of the program; its hash decides whether a new check is due. */
  content: (object: Stored<T>) => object;
  /** Returns why the resource cannot be checked; undefined to continue. */
  refuse?: (object: Stored<T>, settings: CheckSettings) => { reason: string; message: string } | undefined;
  /** Returns status fields from the termination message `termination` of a successful check. */
  accept?: (termination: Record<string, unknown>) => object;
  /** Derives the condition Ready from Valid. */
  ready: (object: Stored<T>, valid: ConditionUpdate) => Omit<ConditionUpdate, 'type'>;
}
