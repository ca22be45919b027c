import type { Profile } from '../src/session/session.ts';

export const GROUP_A = '11111111-1111-4111-8111-111111111111';
export const GROUP_B = '33333333-3333-4333-8333-333333333333';

/** A user of two groups; the first is the default one. */
export function buildProfile(change: Partial<Profile> = {}): Profile {
  return {
    user_id: '44444444-4444-4444-8444-444444444444',
    username: 'mei',
    first_name: 'Mei',
    last_name: 'Lin',
    email: 'mei@lab.example',
    is_staff: false,
    is_superuser: false,
    is_group_admin: false,
    is_ldap: false,
    organization: 'Lab',
    lang: 'en',
    auto_logout_timeout: null,
    default_auto_logout_timeout: 30,
    autogrouping_rule: '',
    must_change_password: false,
    has_password: true,
    password_expires_in_days: null,
    groups: [
      { id: GROUP_A, name: 'lab_a', display_name: 'Lab A', is_default: true, is_group_admin: false },
      { id: GROUP_B, name: 'lab_b', display_name: 'Lab B', is_default: false, is_group_admin: false },
    ],
    ...change,
  };
}
