/** Server-side tables for `kubectl get`, with the printer columns of our kinds. */

import type { CoreCondition, Job, Pod } from '@seqpanel/crds/kube/core-types.ts';
import type { Obj } from '../objects/metadata.ts';
import type { ResourceType } from '../objects/resources.ts';

interface Column {
  name: string;
  type?: string;
  /** Columns above 0 are shown only with -o wide. */
  priority?: number;
  cell(object: Obj, now: number): unknown;
}

const NAME: Column = { name: 'Name', cell: ({ metadata }) => metadata.name };
const AGE: Column = { name: 'Age', cell: ({ metadata }, now) => age(metadata.creationTimestamp, now) };

/** Formats a duration as kubectl does (k8s.io/apimachinery/pkg/util/duration HumanDuration). */
export function humanDuration(ms: number): string {
  const s = Math.floor(ms / 1000);
  if (s < -1) return '<invalid>';
  if (s < 0) return '0s';
  if (s < 120) return `${s}s`;
  const m = Math.floor(s / 60);
  if (m < 10) return s % 60 ? `${m}m${s % 60}s` : `${m}m`;
  if (m < 180) return `${m}m`;
  const h = Math.floor(m / 60);
  if (h < 8) return m % 60 ? `${h}h${m % 60}m` : `${h}h`;
  if (h < 48) return `${h}h`;
  const d = Math.floor(h / 24);
  if (d < 8) return h % 24 ? `${d}d${h % 24}h` : `${d}d`;
  if (d < 730) return `${d}d`;
  const y = Math.floor(d / 365);
  return y < 8 && d % 365 ? `${y}y${d % 365}d` : `${y}y`;
}

const age = (since: string | undefined, now: number): string =>
  since ? humanDuration(now - Date.parse(since)) : '<unknown>';

function podStatus(object: Obj): string {
  const { status } = object as Pod;
  if (object.metadata.deletionTimestamp) return 'Terminating';
  const state = status?.containerStatuses?.[0]?.state;
  const reason = state?.waiting?.reason ?? state?.terminated?.reason;
  return reason ?? status?.reason ?? status?.phase ?? 'Unknown';
}

const isTrue = (conditions: CoreCondition[] | undefined, type: string): boolean =>
  conditions?.some((one) => one.type === type && one.status === 'True') ?? false;

function jobStatus(object: Obj): string {
  const { conditions } = (object as Job).status ?? {};
  if (isTrue(conditions, 'Complete')) return 'Complete';
  if (isTrue(conditions, 'Failed')) return 'Failed';
  if (object.metadata.deletionTimestamp) return 'Terminating';
  if (isTrue(conditions, 'Suspended')) return 'Suspended';
  if (isTrue(conditions, 'FailureTarget')) return 'FailureTarget';
  return isTrue(conditions, 'SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function jobDuration(object: Obj, now: number): string {
  const { startTime, completionTime } = (object as Job).status ?? {};
  if (!startTime) return '';
  return humanDuration((completionTime ? Date.parse(completionTime) : now) - Date.parse(startTime));
}

/** Columns of the documented built-in kinds; the others show name and age. */
const COLUMNS: Record<string, Column[]> = {
  Pod: [
    NAME,
    { name: 'Ready', cell: (pod) => `${(pod as Pod).status?.containerStatuses?.[0]?.ready ? 1 : 0}/1` },
    { name: 'Status', cell: podStatus },
    { name: 'Restarts', cell: () => '0' },
    AGE,
    { name: 'Node', priority: 1, cell: (pod) => (pod as Pod).spec?.nodeName ?? '' },
  ],
  Job: [
    NAME,
    { name: 'Status', cell: jobStatus },
    {
      name: 'Completions',
      cell: (job) => `${(job as Job).status?.succeeded ?? 0}/${(job as Job).spec?.completions ?? 1}`,
    },
    { name: 'Duration', cell: jobDuration },
    AGE,
  ],
};

/** Evaluates the JSONPath that our columns use: plain paths and `.status.conditions[?(@.type=="Ready")].status`. */
export function jsonPath(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const [, key, filterKey, wanted] of path.matchAll(/\.([\w-]+)|\[\?\(@\.(\w+)==["']([^"']*)["']\)\]/g)) {
    if (key) value = (value as Record<string, unknown> | undefined)?.[key];
    else value = Array.isArray(value) ? value.find((item) => item[filterKey!] === wanted) : undefined;
    if (value === undefined || value === null) return undefined;
  }
  return value;
}

function columnsOf(type: ResourceType): Column[] {
  if (!type.columns) return COLUMNS[type.kind] ?? [NAME, AGE];
  const own = type.columns.map(
    ({ name, type: format, jsonPath: path, priority = 0 }): Column => ({
      name,
      type: format,
      priority,
      cell: (object, now) => {
        const value = jsonPath(object, path);
        if (value === undefined) return null;
        if (format === 'date') return age(value as string, now);
        return format === 'string' ? String(value) : value;
      },
    }),
  );
  return [NAME, ...own];
}

/** Returns a meta.k8s.io/v1 Table of the objects. Later events of a watch omit the column `definitions`. */
export function tableOf(
  type: ResourceType,
  objects: Obj[],
  metadata: object,
  now: number,
  include: string | null,
  definitions = true,
): string {
  const columns = columnsOf(type);
  return JSON.stringify({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: definitions
      ? columns.map(({ name, type: format = 'string', priority = 0 }) => ({
          name,
          type: format,
          format: name === 'Name' ? 'name' : '',
          description: '',
          priority,
        }))
      : null,
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, now)),
      object:
        include === 'Object'
          ? object
          : { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
    })),
  });
}
