/** What the kinds that are checked by a Job have in common, and what each says of itself. */

import type { Condition } from '@seqpanel/crds/kinds.ts';
import type { KubeObject, Resource, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Component } from '../jobs/labels.ts';
import type { PodSettings } from '../jobs/pod-spec.ts';
import type { ConditionUpdate } from '../kube/conditions.ts';

export interface CheckedStatus {
  observedGeneration?: number;
  /** Hash of what the last check looked at. */
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
  /** A check that could not be carried out is repeated after so long, ms. */
  repeatMs: number;
  jobTtlSeconds: number;
  /** How many times the memory is doubled after a check ran out of it. */
  memoryDoublings: number;
  /** A pod that cannot start for so long is told of, ms. */
  stuckMs: number;
  /** Hosts that genomes may be fetched from. */
  genomeHosts: string[];
  /** How pods that fetch something get there. */
  outside?: { proxy: string; noProxy: string; caConfigMap: string };
  pod: PodSettings;
}

/** Conditions of both kinds. */
export const VALID = 'Valid';
export const READY = 'Ready';

export const CHECK_REASON = {
  checking: 'Checking',
  checked: 'Checked',
  /** The Job did not come to a verdict. */
  error: 'CheckError',
  /** The API server does not let the Job be made. */
  refused: 'JobRefused',
  duplicate: 'Duplicate',
  misnamed: 'Misnamed',
} as const;

export interface Folder {
  /** Below the storage root. */
  path: string;
  readOnly: boolean;
}

/** A kind of resource that is checked by a Job. `T` is the resource. */
export interface CheckKind<T extends Checked> {
  resource: Resource<T>;
  /** Program and its spec file. */
  step: 'check-panel' | 'install-genome';
  specFile: 'panel-type.json' | 'genome.json';
  /** Memory in bytes, of the first Job; it is doubled when it did not do. */
  cpu: string;
  memory: number;
  /** What Valid says when nothing is wrong. */
  validMessage: string;
  timeoutSeconds: number;
  env?: (settings: CheckSettings) => Record<string, string>;
  /** What its pods are for. */
  component: (object: Stored<T>) => Component;
  /** The folders of the storage that its pods see. */
  folders: (object: Stored<T>) => Folder[];
  /** The kind of machine that it asks for. */
  machine?: (object: Stored<T>) => string | undefined;
  /** What the program is told; its hash decides whether a new check is due. */
  content: (object: Stored<T>) => object;
  /** Why there is nothing to check; undefined to go on. */
  refuse?: (object: Stored<T>, settings: CheckSettings) => { reason: string; message: string } | undefined;
  /** What a good end adds to the status; `said` is the termination message. */
  accept?: (said: Record<string, unknown>) => object;
  /** The Ready condition, from Valid. */
  ready: (object: Stored<T>, valid: ConditionUpdate) => Omit<ConditionUpdate, 'type'>;
}
