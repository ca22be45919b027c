/**
 * An operation that the api requests of the cluster, as a row of the outbox. Written in the transaction of its cause.
 */

import type { Correlation } from '@seqpanel/crds/correlation.ts';
import type { AnalysisTask, Genome, PanelType, Pipeline } from '@seqpanel/crds/kinds.ts';
import type { Knex } from 'knex';

export type OwnKind = 'AnalysisTask' | 'PanelType' | 'Genome' | 'Pipeline';

export type Intent = (
  | /** Create the task's resource, after its frozen files are on storage. Everything else is in the task's row. */
  { type: 'launch'; task: string }
  /** Creates the object, or makes its spec equal to this one. */
  | { type: 'apply'; kind: OwnKind; object: PanelType | Genome | Pipeline | AnalysisTask }
  /** Applies a merge patch. An object that is gone counts as done. */
  | { type: 'patch'; kind: OwnKind; name: string; patch: Record<string, unknown> }
  /** Deletes the object. One that is gone counts as done. */
  | { type: 'delete'; kind: OwnKind; name: string }
) & { /** Ids of the request behind it. */ correlation?: Correlation };

/** LISTEN channel that wakes the dispatchers. */
export const OUTBOX_CHANNEL = 'seqpanel_outbox';

/** Returns the object whose intents keep their order. */
export function objectOf(intent: Intent): string {
  if (intent.type === 'launch') return `AnalysisTask/${intent.task}`;
  if (intent.type === 'apply') return `${intent.kind}/${intent.object.metadata?.name ?? ''}`;
  return `${intent.kind}/${intent.name}`;
}

/** An abort frees resources for everybody, so it does not wait for its group's turn. */
const isAbort = (intent: Intent): boolean =>
  intent.type === 'patch' &&
  intent.kind === 'AnalysisTask' &&
  (intent.patch['spec'] as { abort?: boolean } | undefined)?.abort === true;

/**
 * Adds the intent, which is carried out only after the transaction commits. `group`: group whose turn it uses; null for
 * installation-wide configuration.
 */
export async function enqueueIntent(
  trx: Knex.Transaction,
  intent: Intent,
  now: Date,
  group: string | null = null,
): Promise<void> {
  const key = group ?? '';
  await trx('outbox').insert({
    object: objectOf(intent),
    intent: JSON.stringify(intent),
    group_key: key,
    urgent: isAbort(intent),
    created: now,
    next_try: now,
  });
  await trx('outbox_turn').insert({ group_key: key }).onConflict('group_key').ignore();
  await trx.raw('SELECT pg_notify(?, ?)', [OUTBOX_CHANNEL, '']);
}
