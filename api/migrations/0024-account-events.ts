import type { Knex } from 'knex';

/** Authentication events in the audit log, and accounts that expire. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE audit_log
      ADD COLUMN address text,
      ADD COLUMN outcome text CHECK (outcome IN ('success', 'failure')),
      DROP CONSTRAINT audit_log_action_check,
      -- NOT VALID, because the new rule allows more than the old one and the rows need no check.
      ADD CONSTRAINT audit_log_action_check CHECK (action IN ('create', 'update', 'delete',
        'login', 'logout', 'lock', 'password_change', 'refresh_reuse', 'file_token')) NOT VALID;

    ALTER TABLE app_user
      ADD COLUMN is_demo boolean NOT NULL DEFAULT false,
      ADD COLUMN expires timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE app_user DROP COLUMN expires, DROP COLUMN is_demo;
    ALTER TABLE audit_log DROP COLUMN outcome, DROP COLUMN address,
      DROP CONSTRAINT audit_log_action_check,
      ADD CONSTRAINT audit_log_action_check CHECK (action IN ('create', 'update', 'delete')) NOT VALID;
  `);
}
