import type { Knex } from 'knex';

/** Identity of a user at the OpenID Connect provider. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE app_user ADD COLUMN sso_issuer text, ADD COLUMN sso_subject text,
      ADD CONSTRAINT app_user_sso_whole CHECK ((sso_issuer IS NULL) = (sso_subject IS NULL));
    CREATE UNIQUE INDEX app_user_sso ON app_user (sso_issuer, sso_subject);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE app_user DROP COLUMN sso_issuer, DROP COLUMN sso_subject');
}
