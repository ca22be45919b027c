/** Finds or creates the account of a person authenticated by the provider. New accounts have no group. */
import { randomUUID } from 'node:crypto';
import { emailProblem, USERNAME_MAX, usernameProblem } from '@seqpanel/crds/account-rules.ts';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { changesOfNew, SYSTEM, writeAudit } from '../audit/write-audit.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { Forbidden } from '../errors.ts';

export interface SsoPerson {
  /** Issuer and subject together identify a person permanently (OpenID Connect Core 2). */
  issuer: string;
  subject: string;
  /** Claim that becomes the username. */
  username: string | undefined;
  firstName: string;
  lastName: string;
  email: string;
  /** Whether the settings allow this person to log in. */
  isAllowed: boolean;
}

/** Replaces characters that a username may not have, such as the `@` of an address, with `_`. */
export const usernameOf = (claim: string): string => claim.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, USERNAME_MAX);

/**
 * Returns the id of the person's account. Never takes over an account of the same username that was created otherwise,
 * because a person who can choose a username at the provider could impersonate another. Throws the same Forbidden for a
 * person who is not allowed, an unusable name and a name in use, so that only the log reveals which names exist.
 */
export async function ssoUser(db: Knex, person: SsoPerson, log: Logger, now: Date): Promise<string> {
  const refuse = (reason: string): never => {
    log.warn({ reason, subject: person.subject }, 'login through the provider refused');
    throw new Forbidden('sso_refused');
  };
  if (!person.isAllowed) refuse('the claim of SEQPANEL_OIDC_ALLOWED_CLAIM has none of the allowed values');
  const known = () =>
    db('app_user').where({ sso_issuer: person.issuer, sso_subject: person.subject }).first('id') as Promise<
      { id: string } | undefined
    >;
  const found = await known();
  if (found) return found.id;
  const username = usernameOf(person.username ?? '');
  if (usernameProblem(username)) refuse('the claim of SEQPANEL_OIDC_USERNAME_CLAIM is not a usable username');
  const values = {
    username,
    first_name: person.firstName,
    last_name: person.lastName,
    email: emailProblem(person.email) ? '' : person.email,
    sso_issuer: person.issuer,
    sso_subject: person.subject,
  };
  try {
    return await withTransaction(db, async (trx) => {
      const id = randomUUID();
      await trx('app_user').insert({ id, ...values, password_changed: now, created: now });
      const entry = { actor: SYSTEM, resourceType: 'user', resourceId: id, resource: username } as const;
      await writeAudit(trx, { ...entry, action: 'create', changes: changesOfNew(values) }, now);
      return id;
    });
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'app_user_sso') return (await known())!.id; // the same person logged in twice at once
    if (constraint === 'app_user_username')
      return refuse('an account of this username was not created by the provider');
    throw error;
  }
}
