/** Who calls, and what a role allows. Pure; nothing here reads a request or the database. */
import { Forbidden, NotFound, Unauthorized } from '../errors.ts';
import type { Role } from '../openapi/document.ts';

export interface Membership {
  id: string;
  name: string;
  displayName: string;
  isDefault: boolean;
  /** The caller manages this group. */
  isGroupAdmin: boolean;
}

export interface Caller {
  userId: string;
  username: string;
  sessionId: string;
  isStaff: boolean;
  isSuperuser: boolean;
  /** The account of the demo, which may call less than other staff (caller-limits.ts). */
  isDemo: boolean;
  /** Nothing but the change of the password is open to them (caller-limits.ts). */
  mustChangePassword: boolean;
  /** Active groups only: a disabled group is as if it did not exist. */
  groups: readonly Membership[];
}

/** Resolves an access token to its caller; undefined when it is not valid, or its session or account ended. */
export type Authenticate = (token: string) => Promise<Caller | undefined>;

/** The group that a path names: `0` is the default group (SPEC 9). Throws NotFound for a group the caller is not in. */
export function resolveGroup(caller: Caller, group: string): Membership {
  if (group === '0') {
    const found = caller.groups.find((membership) => membership.isDefault);
    if (!found) throw new NotFound('no_default_group');
    return found;
  }
  const found = caller.groups.find((membership) => membership.id === group.toLowerCase());
  if (!found) throw new NotFound();
  return found;
}

/**
 * Throws unless the role admits the caller: Unauthorized without one, NotFound for another's group, Forbidden for a role
 * the caller does not have. Staff are not members of every group: what is scoped to a group needs membership.
 */
export function authorize(role: Role, caller: Caller | undefined, group: string | undefined): Membership | undefined {
  if (role === 'public' || role === 'file-token') return undefined;
  if (!caller) throw new Unauthorized();
  const membership = group === undefined ? undefined : resolveGroup(caller, group);
  const staff = caller.isStaff || caller.isSuperuser;
  const allowed = {
    user: () => true,
    'group-member': () => membership !== undefined,
    'group-admin': () => membership?.isGroupAdmin === true,
    'staff-or-group-admin': () => staff || caller.groups.some(({ isGroupAdmin }) => isGroupAdmin),
    staff: () => staff,
  }[role]();
  if (!allowed) throw new Forbidden();
  return membership;
}
