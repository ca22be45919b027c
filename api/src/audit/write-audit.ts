/** Writes the audit log, which a trigger makes append-only. An entry is written in the transaction of its change. */
import { randomUUID } from 'node:crypto';
import { canonicalJson } from '@seqpanel/crds/canonical-json.ts';
import { isTraceparent } from '@seqpanel/crds/correlation.ts';
import type { Knex } from 'knex';
import type { Change } from '../db/tables/accounts.ts';
import type { Call } from '../feature.ts';
import { clientAddress } from '../http/client-address.ts';
import { requestId } from '../http/error-answer.ts';
import { compactChanges } from './compact-changes.ts';

export type { Change };

export interface Actor {
  /** Null for the system itself. */
  userId: string | null;
  username: string;
  requestId?: string;
  /** The client's address. */
  address?: string;
  /** The client's traceparent (W3C Trace Context), if valid. */
  traceparent?: string;
}

/** Events of session/auth-events.ts. */
export type AuthenticationAction = 'login' | 'logout' | 'lock' | 'password_change' | 'refresh_reuse' | 'file_token';

export interface AuditEntry {
  actor: Actor;
  resourceType:
    | 'user'
    | 'group'
    | 'project'
    | 'file'
    | 'genome'
    | 'panel_type'
    | 'pipeline'
    | 'preset'
    | 'session'
    | 'setting'
    | 'task'
    | (string & {});
  resourceId: string;
  /** Display name of the resource. */
  resource: string;
  action: 'create' | 'update' | 'delete' | AuthenticationAction;
  changes: readonly Change[];
  /** Set for authentication events. */
  outcome?: 'success' | 'failure';
}

export const SYSTEM: Actor = { userId: null, username: 'system' };

/** Returns the actor of a call for its audit entries. */
export function actorOf({ caller, req }: Pick<Call, 'caller' | 'req'>): Actor {
  const traceparent = req.get('traceparent');
  return {
    userId: caller.userId,
    username: caller.username,
    requestId: requestId(req),
    address: clientAddress(req),
    ...(isTraceparent(traceparent) && { traceparent }),
  };
}

/** Writes no entry for an update without changes. */
export async function writeAudit(trx: Knex.Transaction, entry: AuditEntry, now: Date): Promise<void> {
  if (entry.action === 'update' && entry.changes.length === 0) return;
  await trx('audit_log').insert({
    id: randomUUID(),
    created: now,
    user_id: entry.actor.userId,
    username: entry.actor.username,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    resource: entry.resource,
    action: entry.action,
    changes: JSON.stringify(compactChanges(entry.changes)),
    request_id: entry.actor.requestId ?? null,
    address: entry.actor.address ?? null,
    outcome: entry.outcome ?? null,
  });
}

/**
 * Returns the fields of `after` that differ from `before`, ignoring the order of keys. Callers must leave out secrets.
 */
export function changesBetween(before: object, after: Readonly<Record<string, unknown>>): Change[] {
  const earlier = new Map(Object.entries(before));
  return Object.entries(after).flatMap(([field, to]) => {
    const from = earlier.get(field) ?? null;
    return canonicalJson(from) === canonicalJson(to ?? null) ? [] : [{ field, from, to: to ?? null }];
  });
}

/** Returns the changes of a creation: every field, from null. */
export const changesOfNew = (after: Readonly<Record<string, unknown>>): Change[] => changesBetween({}, after);
