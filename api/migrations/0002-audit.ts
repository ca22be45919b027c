import type { Knex } from 'knex';

/** Audit log. Rows are added in the transaction of the change and never changed or removed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE audit_log (
      id uuid PRIMARY KEY,
      created timestamptz NOT NULL,
      user_id uuid,
      username text NOT NULL,
      resource_type text NOT NULL,
      resource_id text NOT NULL,
      resource text NOT NULL,
      action text NOT NULL CHECK (action IN ('create', 'update', 'delete')),
      changes jsonb NOT NULL,
      request_id text
    );
    CREATE INDEX audit_log_created ON audit_log (created DESC, id);
    CREATE INDEX audit_log_resource ON audit_log (resource_type, resource_id);

    CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'audit_log is append-only';
    END $$;
    CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
      FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
    CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
      FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
    REVOKE UPDATE, DELETE, TRUNCATE ON audit_log FROM PUBLIC;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS audit_log; DROP FUNCTION IF EXISTS audit_log_is_append_only');
}
