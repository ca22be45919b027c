/** User groups and their members, which decide what a user can access. */
import { createHash, randomUUID } from 'node:crypto';
import { groupNameProblem, NAME_MAX } from '@seqpanel/crds/account-rules.ts';
import type { Knex } from 'knex';
import { type Actor, actorOf, changesBetween, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { type PageQuery, pageOf } from '../db/page.ts';
import type { UserGroupTable } from '../db/tables/accounts.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { AnswerOf, Call, Deps, Feature } from '../feature.ts';
import { answerList } from '../http/answer-list.ts';
import { settingsChanged } from '../settings/settings-changed.ts';
import { bytesOfGb, gbOfBytes } from '../storage/storage-use.ts';

type Group = AnswerOf<'getGroup'>;

type GroupWrite = Call<'createGroup'>['body'];
type GroupUpdate = Call<'updateGroup'>['body'];

export function createGroups({ db, now }: Deps): Feature {
  return {
    name: 'groups',
    routes: {
      listGroups: {
        role: 'staff',
        handle: ({ res, query }) => answerList(db, res, query, listGroups),
      },
      getGroup: { role: 'staff', handle: ({ params }) => readGroup(db, params.id) },
      createGroup: {
        role: 'staff',
        handle: async (call) => readGroup(db, await createGroup(db, call.body, actorOf(call), now())),
      },
      updateGroup: {
        role: 'staff',
        handle: async (call) => {
          await updateGroup(db, call.params.id, call.body, actorOf(call), now());
          return await readGroup(db, call.params.id);
        },
      },
    },
  };
}

async function listGroups(db: Knex, query: PageQuery): Promise<{ count: number; results: Group[] }> {
  const page = await pageOf<UserGroupTable>(db('user_group'), query, (rows) =>
    rows.select('*').orderByRaw('lower(name)'),
  );
  const members = await readMembersOf(
    db,
    page.results.map(({ id }) => id),
  );
  return { count: page.count, results: page.results.map((row) => groupOf(row, members.get(row.id) ?? [])) };
}

async function createGroup(db: Knex, write: GroupWrite, actor: Actor, now: Date): Promise<string> {
  const name = write.name ?? '';
  const problem = groupNameProblem(name);
  if (problem) throw new Invalid(problem, { max: NAME_MAX });
  const id = randomUUID();
  const values = {
    name,
    display_name: write.display_name?.trim() || name,
    active: write.active ?? true,
    allocated_bytes: bytesOfGb(write.allocated_gb),
    weight: write.weight ?? 1,
  };
  return await guarded(() =>
    withTransaction(db, async (trx) => {
      await trx('user_group').insert({ id, ...values, created: now });
      if (values.weight !== 1) await settingsChanged(trx);
      await setMembers(trx, id, write.members ?? [], actor, now);
      const changes = changesOfNew({ ...values, members: write.members ?? [] });
      await writeAudit(
        trx,
        { actor, resourceType: 'group', resourceId: id, resource: name, action: 'create', changes },
        now,
      );
      return id;
    }),
  );
}

async function updateGroup(db: Knex, id: string, write: GroupUpdate, actor: Actor, now: Date): Promise<void> {
  await guarded(() =>
    withTransaction(db, async (trx) => {
      const before = await trx('user_group').where({ id }).forUpdate().first();
      if (!before) throw new NotFound();
      const membersBefore = await readMembers(trx, id);
      if (versionOf(before, membersBefore) !== write.version) throw new Conflict('conflict');
      if (write.name !== undefined && write.name !== before.name) throw new Invalid('group_name_characters');
      const values = {
        ...(write.display_name !== undefined && { display_name: write.display_name.trim() || before.name }),
        ...(write.active !== undefined && { active: write.active }),
        ...(write.allocated_gb !== undefined && { allocated_bytes: bytesOfGb(write.allocated_gb) }),
        ...(write.weight !== undefined && { weight: write.weight }),
      };
      const changes = changesBetween(before, values);
      if (changes.length > 0) await trx('user_group').where({ id }).update(values);
      if (write.weight !== undefined) await settingsChanged(trx);
      if (write.members) {
        await setMembers(trx, id, write.members, actor, now);
        changes.push(...changesBetween({ members: membersBefore }, { members: await readMembers(trx, id) }));
      }
      await writeAudit(
        trx,
        { actor, resourceType: 'group', resourceId: id, resource: before.name, action: 'update', changes },
        now,
      );
    }),
  );
}

/**
 * Replaces the whole list. A user's first group becomes the default; changing another user's default must be requested.
 */
async function setMembers(
  trx: Knex.Transaction,
  groupId: string,
  members: NonNullable<GroupWrite['members']>,
  actor: Actor,
  now: Date,
): Promise<void> {
  const ids = members.map(({ user_id }) => user_id);
  await trx('membership').where({ group_id: groupId }).whereNotIn('user_id', ids).delete();
  for (const { user_id, is_group_admin = false, is_default } of members) {
    if (is_default) await takeDefault(trx, user_id, groupId, actor, now);
    const other = await trx('membership').where({ user_id, is_default: true }).first('group_id');
    const values = { is_group_admin, is_default: is_default || !other || other.group_id === groupId };
    await trx('membership')
      .insert({ user_id, group_id: groupId, ...values })
      .onConflict(['user_id', 'group_id'])
      .merge();
  }
}

/**
 * Moves a user's default to another group. Audited as a change of the user, because the other group does not change.
 */
async function takeDefault(
  trx: Knex.Transaction,
  userId: string,
  groupId: string,
  actor: Actor,
  now: Date,
): Promise<void> {
  const taken = await trx('membership')
    .where({ user_id: userId, is_default: true })
    .whereNot({ group_id: groupId })
    .update({ is_default: false })
    .returning('group_id');
  for (const { group_id: from } of taken) {
    const { username } = (await trx('app_user').where({ id: userId }).first('username'))!;
    const changes = [{ field: 'default_group', from, to: groupId }];
    const entry = { actor, resourceType: 'user', resourceId: userId, resource: username } as const;
    await writeAudit(trx, { ...entry, action: 'update', changes }, now);
  }
}

/** Hashes everything that a change may set, including members, so that any concurrent change is detected. */
function versionOf(
  row: Pick<UserGroupTable, 'display_name' | 'active' | 'allocated_bytes' | 'weight'>,
  members: Group['members'],
): string {
  const { display_name, active, allocated_bytes, weight } = row;
  const state = members.map(({ user_id, is_group_admin, is_default }) => [user_id, is_group_admin, is_default]).sort();
  const text = JSON.stringify([display_name, active, allocated_bytes, weight, state]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

const readMembers = async (db: Knex, groupId: string): Promise<Group['members']> =>
  (await readMembersOf(db, [groupId])).get(groupId) ?? [];

async function readMembersOf(db: Knex, groupIds: readonly string[]): Promise<Map<string, Group['members']>> {
  const rows: (Group['members'][number] & { group_id: string })[] = await db('membership as m')
    .join('app_user as u', 'u.id', 'm.user_id')
    .whereIn('m.group_id', [...groupIds])
    .orderByRaw('lower(u.username)')
    .select('m.group_id', 'u.id as user_id', 'u.username', 'm.is_group_admin', 'm.is_default');
  const members = new Map<string, Group['members']>(groupIds.map((id) => [id, []]));
  for (const { group_id, ...member } of rows) members.get(group_id)!.push(member);
  return members;
}

async function readGroup(db: Knex, id: string): Promise<Group> {
  const row: UserGroupTable | undefined = await db('user_group').where({ id }).first();
  if (!row) throw new NotFound();
  return groupOf(row, await readMembers(db, id));
}

const groupOf = (row: UserGroupTable, members: Group['members']): Group => ({
  id: row.id,
  name: row.name,
  display_name: row.display_name,
  active: row.active,
  created: row.created.toISOString(),
  allocated_gb: gbOfBytes(row.allocated_bytes),
  weight: row.weight,
  users: members.length,
  members,
  version: versionOf(row, members),
});

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === 'user_group_name')
      throw new Conflict('group_name_exists', undefined, { cause: error });
    if ((error as { code?: string }).code === '23503') throw new Invalid('user_unknown', undefined, { cause: error });
    throw error;
  }
}
