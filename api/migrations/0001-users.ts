import type { Knex } from 'knex';

/** Users, groups, memberships, sessions and their refresh tokens, failed logins. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE app_user (
      id uuid PRIMARY KEY,
      username text NOT NULL,
      first_name text NOT NULL DEFAULT '',
      last_name text NOT NULL DEFAULT '',
      email text NOT NULL DEFAULT '',
      is_staff boolean NOT NULL DEFAULT false,
      is_superuser boolean NOT NULL DEFAULT false,
      is_ldap boolean NOT NULL DEFAULT false,
      is_active boolean NOT NULL DEFAULT true,
      organization text NOT NULL DEFAULT '',
      lang text NOT NULL DEFAULT 'en' CHECK (lang IN ('en', 'zh')),
      auto_logout_timeout integer CHECK (auto_logout_timeout > 0),
      autogrouping_rule text NOT NULL DEFAULT '',
      quota_bytes bigint CHECK (quota_bytes >= 0),
      password_hash text,
      password_changed timestamptz NOT NULL,
      must_change_password boolean NOT NULL DEFAULT false,
      created timestamptz NOT NULL
    );
    CREATE UNIQUE INDEX app_user_username ON app_user (lower(username));

    CREATE TABLE user_group (
      id uuid PRIMARY KEY,
      name text NOT NULL,
      display_name text NOT NULL,
      active boolean NOT NULL DEFAULT true,
      allocated_bytes bigint CHECK (allocated_bytes >= 0),
      created timestamptz NOT NULL
    );
    CREATE UNIQUE INDEX user_group_name ON user_group (lower(name));

    CREATE TABLE membership (
      user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
      group_id uuid NOT NULL REFERENCES user_group ON DELETE CASCADE,
      is_group_admin boolean NOT NULL DEFAULT false,
      is_default boolean NOT NULL DEFAULT false,
      PRIMARY KEY (user_id, group_id)
    );
    CREATE UNIQUE INDEX membership_one_default ON membership (user_id) WHERE is_default;
    CREATE INDEX membership_group ON membership (group_id);

    CREATE TABLE session (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
      created timestamptz NOT NULL,
      expires timestamptz NOT NULL,
      ended timestamptz,
      ended_reason text
    );
    CREATE INDEX session_by_user ON session (user_id);

    CREATE TABLE refresh_token (
      hash bytea PRIMARY KEY,
      session_id uuid NOT NULL REFERENCES session ON DELETE CASCADE,
      created timestamptz NOT NULL,
      expires timestamptz NOT NULL,
      used timestamptz
    );
    CREATE INDEX refresh_token_session ON refresh_token (session_id);

    -- By name, not by user, because unknown names are counted and answered like known ones.
    CREATE TABLE login_failure (
      username text PRIMARY KEY,
      failures integer NOT NULL,
      locked_until timestamptz,
      last timestamptz NOT NULL
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'DROP TABLE IF EXISTS login_failure, refresh_token, session, membership, user_group, app_user CASCADE',
  );
}
