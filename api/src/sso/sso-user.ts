/** The account behind a person whom the provider vouches for; made at their first login, without any group. */
import { randomUUID } from 'node:crypto';
import { emailProblem, USERNAME_MAX, usernameProblem } from '@seqpanel/crds/account-rules.ts';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { changesOfNew, SYSTEM, writeAudit } from '../audit/write-audit.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { Forbidden } from '../errors.ts';

export interface SsoPerson {
  /** The provider's issuer and the person's id there: together they never change hands (OpenID Connect Core 2). */
  issuer: string;
  subject: string;
  /** The claim that becomes the username. */
  username: string | undefined;
  firstName: string;
  lastName: string;
  email: string;
  /** The settings let this person log in. */
  isAllowed: boolean;
}

/** Characters that a username may not have, as the `@` of an address, become `_`. */
export const usernameOf = (claim: string): string => claim.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, USERNAME_MAX);

/**
 * The id of the person's account. An account of the same username that was made otherwise is never taken over: a person who
 * can choose a username at the provider must not become another one here. Throws the same Forbidden for a person who is
 * not allowed, an unusable name and a name in use, so that the answer does not tell which names exist; the log does.
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
  if (usernameProblem(username)) refuse('the claim of SEQPANEL_OIDC_USERNAME_CLAIM is no usable username');
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
    if (constraint === 'app_user_sso') return (await known())!.id; // the same person, twice at once
    if (constraint === 'app_user_username') return refuse('an account of this username was not made by the provider');
    throw error;
  }
}
