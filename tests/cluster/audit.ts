/** Reads from the API server's audit logs the rights that operator and api used, as `verb group/resource`. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from './kube-http.ts';

/** The two programs that call the Kubernetes API. */
export type Part = 'operator' | 'api';

/** One right used by a program of one namespace. */
export interface Use {
  part: Part;
  namespace: string;
  right: string;
}

const USER = /^system:serviceaccount:([^:]+):seqpanel-(operator|api)$/;

/** `everywhere` means all namespaces and cluster-scoped resources. */
export const rightOf = (verb: string, group: string, resource: string, everywhere: boolean): string =>
  `${verb} ${group === '' ? '' : `${group}/`}${resource}${everywhere ? ' everywhere' : ''}`;

/** Each use once. */
export function usesIn(auditLog: string): Use[] {
  const uses = new Map<string, Use>();
  for (const line of readFileSync(auditLog, 'utf8').split('\n')) {
    const { user, verb, objectRef } = eventIn(line);
    const [, namespace, part] = USER.exec(user?.username) ?? [];
    if (!namespace || !objectRef) continue;
    const { apiGroup = '', resource, subresource } = objectRef;
    const whole = subresource ? `${resource}/${subresource}` : resource;
    const use = { part: part as Part, namespace, right: rightOf(verb, apiGroup, whole, !objectRef.namespace) };
    uses.set(JSON.stringify(use), use);
  }
  return [...uses.values()];
}

/** Empty for the last line of a killed server, which may be truncated. */
function eventIn(line: string): KubeObject {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

/** Folder where each control plane of a run writes its used rights to its own file. */
const FOLDER = process.env['SEQPANEL_TEST_AUDIT'];

/** True when used rights are collected. */
export const isAudited = (): boolean => Boolean(FOLDER);

export function keepUses(auditLog: string): void {
  if (!FOLDER || !existsSync(auditLog)) return;
  const uses = usesIn(auditLog);
  if (uses.length > 0) writeFileSync(join(FOLDER, `${randomUUID()}.json`), JSON.stringify(uses));
}

/** Returns the used rights of each control plane of a run. */
export const readKept = (folder: string): Use[][] =>
  readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
