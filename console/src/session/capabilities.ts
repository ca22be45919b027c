import type { Session } from './session.ts';

/** Capabilities of a user; routes and buttons check these, never a role. */
export type Capability = 'system-settings' | 'staff-settings' | 'download-roi';

/** Roles that have each capability. */
export function can(session: Session | undefined, capability: Capability): boolean {
  if (!session) return false;
  const manages = session.groups?.some((group) => group.is_group_admin) ?? false;
  switch (capability) {
    case 'system-settings':
      return session.is_staff || session.is_superuser || manages;
    case 'staff-settings':
      return session.is_staff || session.is_superuser;
    case 'download-roi':
      return manages;
  }
}
