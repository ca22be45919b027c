/** All kinds of callers of the REST API, with their tokens. */
import { createTokens } from '../src/session/tokens.ts';
import type { TestApi, TestUser } from './api.ts';
import type { Laboratory } from './laboratory.ts';

/** Callers with a live session. `other …`: of another group than the laboratory's. */
export const LIVE = [
  'member',
  'group admin',
  'other member',
  'other admin',
  'staff',
  'superuser',
  'demo account',
  'one-time password',
] as const;

/** Callers whose token is invalid, expired or not an access token. They are staff and administrators of the group. */
export const UNUSABLE = ['disabled user', 'expired token', 'refresh token', 'file token'] as const;

export const CALLERS = ['anonymous', ...LIVE, ...UNUSABLE] as const;
export type CallerName = (typeof CALLERS)[number];

export interface Callers {
  tokens: Record<CallerName, string | undefined>;
  member: TestUser;
  /** A group without objects, of `other member` and `other admin`. */
  otherGroup: string;
}

export async function rightsCallers(api: TestApi, lab: Laboratory, file: string): Promise<Callers> {
  const { db, config } = api.deps;
  const otherGroup = await api.addGroup();
  const widest = { staff: true, groups: { [lab.group]: 'admin' } } as const;
  const [groupAdmin, otherMember, otherAdmin, staff, superuser, demo, oneTime, disabled, whole] = [
    await api.addUser({ groups: { [lab.group]: 'admin' } }),
    await api.addUser({ groups: { [otherGroup]: 'member' } }),
    await api.addUser({ groups: { [otherGroup]: 'admin' } }),
    await api.addUser({ staff: true }),
    await api.addUser(),
    await api.addUser(widest),
    await api.addUser(widest),
    await api.addUser(widest),
    await api.addUser(widest),
  ];
  await db('app_user').where({ id: superuser.id }).update({ is_superuser: true });
  await db('app_user').where({ id: demo.id }).update({ is_demo: true });
  await db('app_user').where({ id: oneTime.id }).update({ must_change_password: true });
  await db('app_user').where({ id: disabled.id }).update({ is_active: false });
  const early = await createTokens(config.secret, () => new Date(api.deps.now().getTime() - 86_400_000));
  const claims = (await api.tokens.verifyAccess(whole.token))!;
  const path = `/api/v1/pivat/${lab.group}/project-files/${file}/generate-token`;
  return {
    tokens: {
      anonymous: undefined,
      member: lab.user.token,
      'group admin': groupAdmin.token,
      'other member': otherMember.token,
      'other admin': otherAdmin.token,
      staff: staff.token,
      superuser: superuser.token,
      'demo account': demo.token,
      'one-time password': oneTime.token,
      'disabled user': disabled.token,
      'expired token': await early.signAccess(claims),
      'refresh token': whole.refresh,
      'file token': (await api.call('GET', path, { token: whole.token })).body.token,
    },
    member: lab.user,
    otherGroup,
  };
}
