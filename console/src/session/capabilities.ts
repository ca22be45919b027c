import type { Session } from './session.ts';

/** What a user may do, by name; routes and buttons ask for these and never for a role (SPEC 6). */
export type Capability = 'system-settings' | 'staff-settings' | 'download-roi';

/** The roles behind each capability. */
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
