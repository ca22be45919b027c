import type { Knex } from 'knex';

/**
 * Failed logins by name and address, the addresses an account was used from, the successor of a used refresh token, and
 * the last use of a session. login_failure stays for the previous release, which writes it (docs/adr/0040).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The row of address '' counts the failures of all addresses from which the account was never used.
    CREATE TABLE login_attempt (
      username text NOT NULL,
      address text NOT NULL,
      failures integer NOT NULL,
      since timestamptz NOT NULL,
      last timestamptz NOT NULL,
      PRIMARY KEY (username, address)
    );
    CREATE INDEX login_attempt_last ON login_attempt (last);

    CREATE TABLE login_address (
      user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
      address text NOT NULL,
      last timestamptz NOT NULL,
      PRIMARY KEY (user_id, address)
    );

    ALTER TABLE refresh_token ADD COLUMN successor bytea;
    ALTER TABLE session ADD COLUMN active timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE session DROP COLUMN active;
    ALTER TABLE refresh_token DROP COLUMN successor;
    DROP TABLE login_address, login_attempt;
  `);
}
