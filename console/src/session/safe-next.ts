/** The page that changes a password which must be changed before anything else. */
export const PASSWORD_PATH = '/change-password';
export const passwordPath = (next: string): string => `${PASSWORD_PATH}?next=${encodeURIComponent(next)}`;

/** Where a login leads to. */
export const afterLogin = (profile: { must_change_password: boolean }, next: string): string =>
  profile.must_change_password ? passwordPath(next) : next;

/** Where to go after the login: `?next=` when it is a path of this site, else the dashboard. */
export function safeNext(next: string | null): string {
  if (!next?.startsWith('/') || next.startsWith('//') || next.includes('\\')) return '/dashboard';
  return next.startsWith('/login') || next.startsWith(PASSWORD_PATH) ? '/dashboard' : next;
}
