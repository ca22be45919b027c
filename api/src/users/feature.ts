/** Users: lists them and adds one [USER-02]. */
import { randomUUID } from 'node:crypto';
import {
  emailProblem,
  personNameProblem,
  USERNAME_MAX,
  USERNAME_MIN,
  usernameProblem,
} from '@seqpanel/crds/account-rules.ts';
import type { Knex } from 'knex';
import { type Actor, actorOf, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { type PageQuery, pageOf } from '../db/page.ts';
import type { AppUserTable } from '../db/tables/accounts.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { AnswerOf, Call, Deps, Feature } from '../feature.ts';
import { answerList } from '../http/answer-list.ts';
import { newPasswordProblem } from '../session/new-password.ts';
import type { PasswordHasher } from '../session/passwords.ts';
import { bytesOfGb, gbOfBytes } from '../storage/storage-use.ts';

type User = AnswerOf<'createUser'>;
type NewUser = Call<'createUser'>['body'];

export function createUsers({ db, now }: Deps, hasher: PasswordHasher): Feature {
  return {
    name: 'users',
    routes: {
      listUsers: { role: 'staff', handle: ({ res, query }) => answerList(db, res, query, listUsers) },
      createUser: {
        role: 'staff',
        handle: async (call) => {
          const id = await addUser(db, hasher, call.body, actorOf(call), now());
          return (await readUsers(db, db('app_user').where({ id }).select('id')))[0]!;
        },
      },
    },
  };
}

async function addUser(db: Knex, hasher: PasswordHasher, user: NewUser, actor: Actor, now: Date): Promise<string> {
  const named = usernameProblem(user.username);
  if (named) throw new Invalid(named, { min: USERNAME_MIN, max: USERNAME_MAX });
  if (user.email && emailProblem(user.email)) throw new Invalid('email_invalid');
  for (const name of [user.first_name ?? '', user.last_name ?? '']) {
    if (personNameProblem(name)) throw new Invalid('user_name_characters');
  }
  const isLdap = user.is_ldap ?? false;
  const problem = isLdap ? undefined : await newPasswordProblem(user.password ?? '');
  if (problem) throw new Invalid(problem);
  const values = {
    username: user.username,
    first_name: user.first_name ?? '',
    last_name: user.last_name ?? '',
    email: user.email ?? '',
    is_staff: user.is_staff ?? false,
    is_ldap: isLdap,
    quota_bytes: bytesOfGb(user.quota_gb),
    must_change_password: !isLdap && (user.must_change_password ?? true),
  };
  const hash = isLdap ? null : await hasher.hash(user.password!);
  const id = randomUUID();
  try {
    await withTransaction(db, async (trx) => {
      await trx('app_user').insert({ id, ...values, password_hash: hash, password_changed: now, created: now });
      const groups = user.groups ?? [];
      const chosen = groups.find((group) => group.is_default)?.id ?? groups[0]?.id;
      for (const group of groups) {
        await trx('membership').insert({
          user_id: id,
          group_id: group.id,
          is_group_admin: group.is_group_admin ?? false,
          is_default: group.id === chosen,
        });
      }
      const entry = { actor, resourceType: 'user', resourceId: id, resource: user.username } as const;
      await writeAudit(trx, { ...entry, action: 'create', changes: changesOfNew({ ...values, groups }) }, now);
    });
  } catch (error) {
    if (violatedConstraint(error) === 'app_user_username')
      throw new Conflict('username_exists', undefined, { cause: error });
    if ((error as { code?: string }).code === '23503') throw new Invalid('group_unknown', undefined, { cause: error });
    throw error;
  }
  return id;
}

async function listUsers(db: Knex, query: PageQuery): Promise<AnswerOf<'listUsers'>> {
  const { count, results } = await pageOf<{ id: string }>(db('app_user'), query, (rows) =>
    rows.select('id').orderByRaw('lower(username)'),
  );
  const users = await readUsers(
    db,
    results.map(({ id }) => id),
  );
  const byId = new Map(users.map((user) => [user.id, user]));
  return { count, results: results.flatMap(({ id }) => byId.get(id) ?? []) };
}

/** An account with its groups; the counts are null for one without files. */
type UserRow = AppUserTable & { files: number | null; total: number | null; groups: User['groups'] };

async function readUsers(db: Knex, ids: readonly string[] | Knex.QueryBuilder): Promise<User[]> {
  const rows: UserRow[] = await db('app_user as u')
    .whereIn('u.id', ids as Knex.QueryBuilder)
    .leftJoin(
      db('project_file')
        .whereNull('deleted')
        .groupBy('owner_id')
        .select('owner_id')
        .count({ files: '*' })
        .sum({ total: 'size' })
        .as('f'),
      'f.owner_id',
      'u.id',
    )
    .select(
      'u.*',
      'f.files',
      'f.total',
      db.raw(
        `(SELECT coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'display_name', g.display_name,
          'is_default', m.is_default, 'is_group_admin', m.is_group_admin) ORDER BY g.name), '[]')
        FROM membership m JOIN user_group g ON g.id = m.group_id WHERE m.user_id = u.id) AS groups`,
      ),
    );
  return rows.map((row) => ({
    id: row.id,
    username: row.username,
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email,
    is_staff: row.is_staff,
    is_superuser: row.is_superuser,
    is_group_admin: row.groups.some((group) => group.is_group_admin),
    is_ldap: row.is_ldap,
    is_active: row.is_active,
    is_demo: row.is_demo,
    expires: row.expires?.toISOString() ?? null,
    quota_gb: gbOfBytes(row.quota_bytes),
    files: row.files ?? 0,
    total_size: row.total ?? 0,
    groups: row.groups,
    created: row.created.toISOString(),
  }));
}
