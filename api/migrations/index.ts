/** Lists every migration in the order of the names. A released one is never edited. */
import type { Knex } from 'knex';
import * as users from './0001-users.ts';
import * as audit from './0002-audit.ts';
import * as settings from './0003-settings.ts';
import * as projects from './0004-projects.ts';
import * as configuration from './0005-configuration.ts';
import * as presets from './0006-presets.ts';
import * as tasks from './0010-tasks.ts';
import * as results from './0011-results.ts';
import * as variantOrder from './0012-variant-order.ts';
import * as callEvidence from './0013-call-evidence.ts';
import * as observationSpecimen from './0014-observation-specimen.ts';
import * as workers from './0015-workers.ts';
import * as sso from './0016-sso.ts';
import * as variantPages from './0017-variant-pages.ts';
import * as loginProtection from './0023-login-protection.ts';
import * as accountEvents from './0024-account-events.ts';
import * as storageRoot from './0026-storage-root.ts';
import * as openTasks from './0027-open-tasks.ts';
import * as observationCounts from './0029-observation-counts.ts';
import * as taskSearch from './0030-task-search.ts';
import * as outboxLeases from './0035-outbox-leases.ts';
import * as resourceOwnership from './0036-resource-ownership.ts';
import * as ingestTurns from './0037-ingest-turns.ts';
import * as groupWeight from './0038-group-weight.ts';
import * as jobs from './0040-jobs.ts';

export interface Migration {
  /** Set when a statement cannot run in a transaction. */
  config?: { transaction: boolean };
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-users': users,
  '0002-audit': audit,
  '0003-settings': settings,
  '0004-projects': projects,
  '0005-configuration': configuration,
  '0006-presets': presets,
  '0010-tasks': tasks,
  '0011-results': results,
  '0012-variant-order': variantOrder,
  '0013-call-evidence': callEvidence,
  '0014-observation-specimen': observationSpecimen,
  '0015-workers': workers,
  '0016-sso': sso,
  '0017-variant-pages': variantPages,
  '0023-login-protection': loginProtection,
  '0024-account-events': accountEvents,
  '0026-storage-root': storageRoot,
  '0027-open-tasks': openTasks,
  '0029-observation-counts': observationCounts,
  '0030-task-search': taskSearch,
  '0035-outbox-leases': outboxLeases,
  '0036-resource-ownership': resourceOwnership,
  '0037-ingest-turns': ingestTurns,
  '0038-group-weight': groupWeight,
  '0040-jobs': jobs,
};
