/** The caller of a request and the rules of roles. Reads neither the request nor the database. */
import { Forbidden, NotFound, Unauthorized } from '../errors.ts';
import type { Role } from '../openapi/document.ts';

export interface Membership {
  id: string;
  name: string;
  displayName: string;
  isDefault: boolean;
  /** True when the caller manages this group. */
  isGroupAdmin: boolean;
}

export interface Caller {
  userId: string;
  username: string;
  sessionId: string;
  isStaff: boolean;
  isSuperuser: boolean;
  /** Whether this is the demo account, which may make fewer calls than other staff (caller-limits.ts). */
  isDemo: boolean;
  /** Whether only a password change is allowed (caller-limits.ts). */
  mustChangePassword: boolean;
  /** Active groups only. A disabled group is treated as missing. */
  groups: readonly Membership[];
}

/** Returns the caller of an access token, or undefined when the token, its session or its account is invalid. */
export type Authenticate = (token: string) => Promise<Caller | undefined>;

/**
 * Returns the group of a path; `0` is the default group [ROLE-18]. Throws NotFound for a group the caller is not in.
 */
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
 * Throws unless the role admits the caller: Unauthorized without a caller, NotFound for another group, Forbidden for a
 * missing role. Staff are not members of every group, so group-scoped calls need membership.
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
