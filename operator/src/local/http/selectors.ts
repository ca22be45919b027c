/** Label and field selectors of query parameters. */

import type { Obj } from '../objects/metadata.ts';
import type { ResourceType } from '../objects/resources.ts';
import { badRequest } from '../objects/status.ts';

/** Selects the objects of a list or watch; undefined selects all. */
export type Selector = ((object: Obj) => boolean) | undefined;

type Labels = Record<string, string>;

/** Parses `a=b,c!=d,e in (f,g),h notin (i),j,!k`; throws 400. */
export function labelSelector(text: string): (labels: Labels) => boolean {
  const terms: ((labels: Labels) => boolean)[] = [];
  const pattern = /\s*(?:(!?)\s*([\w./-]+)\s*(?:(==|=|!=)\s*([\w.-]*)|\s(in|notin)\s*\(([^)]*)\))?)\s*(,|$)/y;
  while (pattern.lastIndex < text.length) {
    const from = pattern.lastIndex;
    const m = pattern.exec(text);
    if (!m || (m[1] && (m[3] || m[5]))) {
      throw badRequest(`unable to parse requirement: found '${text.slice(from)}', expected: a label selector`);
    }
    const [, not, key, operator, value = '', set, list] = m as unknown as string[];
    if (set) {
      const values = list!.split(',').map((one) => one.trim());
      terms.push((labels) => (set === 'in') === (labels[key!] !== undefined && values.includes(labels[key!]!)));
    } else if (operator === '!=') terms.push((labels) => labels[key!] !== value);
    else if (operator) terms.push((labels) => labels[key!] === value);
    else terms.push((labels) => (labels[key!] === undefined) === Boolean(not));
  }
  return (labels) => terms.every((term) => term(labels));
}

const FIELDS: Record<string, string[]> = {
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  Job: ['status.successful'],
  Event: ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
    .map((one) => `involvedObject.${one}`)
    .concat('reason', 'reportingComponent', 'source', 'type'),
  Namespace: ['status.phase'],
};

const fieldOf = (object: Obj, path: string): string =>
  String(
    path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object) ??
      '',
  );

/** Combines both selectors of a request. Throws 400 for a field that the kind does not support. */
export function selectorOf(type: ResourceType, labels: string | null, fields: string | null): Selector {
  const byLabel = labels ? labelSelector(labels) : undefined;
  const terms = (fields ?? '')
    .split(',')
    .filter(Boolean)
    .map((term) => {
      const m = /^([^=!]+)(==|=|!=)(.*)$/.exec(term);
      if (!m) throw badRequest(`invalid selector: '${fields}'; can't understand '${term}'`);
      const path = m[1]!;
      if (path !== 'metadata.name' && path !== 'metadata.namespace' && !FIELDS[type.kind]?.includes(path)) {
        throw badRequest(`field label not supported: ${path}`);
      }
      return (object: Obj) => (fieldOf(object, path) === m[3]) === (m[2] !== '!=');
    });
  if (!byLabel && terms.length === 0) return undefined;
  return (object) => (!byLabel || byLabel(object.metadata.labels ?? {})) && terms.every((term) => term(object));
}
