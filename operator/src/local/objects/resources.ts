/** The kinds that the local control plane serves: built-in kinds and those of CustomResourceDefinitions. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@seqpanel/crds/kube/objects.ts';
import { parse } from 'yaml';
import type { Schema } from './schema.ts';
import type { StatusSubject } from './status.ts';

/** A printer column of a CustomResourceDefinition. */
export interface PrinterColumn {
  name: string;
  type: string;
  jsonPath: string;
  priority?: number;
  description?: string;
}

/** One served kind and how its objects behave. */
export interface ResourceType {
  /** Key in the store and in error texts, such as `jobs.batch` or `pods`. */
  id: string;
  group: string;
  version: string;
  plural: string;
  singular: string;
  kind: string;
  shortNames: string[];
  namespaced: boolean;
  /** Has a /status subresource. */
  status: boolean;
  /** Maintains metadata.generation. */
  generation: boolean;
  readOnly?: boolean;
  /** Only of custom resources. */
  schema?: Schema;
  columns?: PrinterColumn[];
}

const builtIn = (
  group: string,
  kind: string,
  plural: string,
  shortNames: string[],
  more: Partial<ResourceType> = {},
): ResourceType => ({
  id: group ? `${plural}.${group}` : plural,
  group,
  version: 'v1',
  plural,
  singular: kind.toLowerCase(),
  kind,
  shortNames,
  namespaced: true,
  status: false,
  generation: false,
  ...more,
});

export const NAMESPACE = builtIn('', 'Namespace', 'namespaces', ['ns'], { namespaced: false, status: true });
export const NODE = builtIn('', 'Node', 'nodes', ['no'], { namespaced: false, status: true });
export const CONFIG_MAP = builtIn('', 'ConfigMap', 'configmaps', ['cm']);
export const EVENT = builtIn('', 'Event', 'events', ['ev']);
export const POD = builtIn('', 'Pod', 'pods', ['po'], { status: true, generation: true });
export const JOB = builtIn('batch', 'Job', 'jobs', [], { status: true, generation: true });
export const LEASE = builtIn('coordination.k8s.io', 'Lease', 'leases', []);
export const CRD = builtIn(
  'apiextensions.k8s.io',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  ['crd', 'crds'],
  {
    namespaced: false,
    readOnly: true,
  },
);

interface CrdFile extends KubeObject {
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string; singular: string; shortNames?: string[] };
    versions: {
      name: string;
      subresources?: { status?: object };
      additionalPrinterColumns?: PrinterColumn[];
      schema: { openAPIV3Schema: Schema };
    }[];
  };
}

/** Reads the CustomResourceDefinitions (YAML) of a folder; each has one version. */
export function readCrds(folder: string): CrdFile[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort();
  return files.map((name) => parse(readFileSync(join(folder, name), 'utf8')) as CrdFile);
}

/** Returns the kind that a CustomResourceDefinition defines. */
export function customResource({ spec }: CrdFile): ResourceType {
  const version = spec.versions[0]!;
  return builtIn(spec.group, spec.names.kind, spec.names.plural, spec.names.shortNames ?? [], {
    version: version.name,
    singular: spec.names.singular,
    namespaced: spec.scope === 'Namespaced',
    status: version.subresources?.status !== undefined,
    generation: true,
    schema: version.schema.openAPIV3Schema,
    columns: version.additionalPrinterColumns ?? [],
  });
}

/** Returns the built-in kinds. */
export const builtInResources = (): ResourceType[] => [NAMESPACE, NODE, CONFIG_MAP, EVENT, POD, JOB, LEASE, CRD];

/** Returns `v1`, `batch/v1`, `seqpanel.dev/v1alpha1`. */
export const apiVersion = ({ group, version }: ResourceType): string => (group ? `${group}/${version}` : version);

/** Returns the subject of an error, by plural or by kind. */
export const subjectOf = (type: ResourceType, name?: string, byKind = false): StatusSubject => ({
  group: type.group,
  kind: byKind ? type.kind : type.plural,
  ...(name && { name }),
});
