/** Page that changes a one-time password. */
export const PASSWORD_PATH = '/change-password';
export const passwordPath = (next: string): string => `${PASSWORD_PATH}?next=${encodeURIComponent(next)}`;

/** Page to open after a login. */
export const afterLogin = (profile: { must_change_password: boolean }, next: string): string =>
  profile.must_change_password ? passwordPath(next) : next;

/** Returns the page to open after the login: `?next=` if it is a path of this site, else the dashboard. */
export function safeNext(next: string | null): string {
  if (!next?.startsWith('/') || next.startsWith('//') || next.includes('\\')) return '/dashboard';
  return next.startsWith('/login') || next.startsWith(PASSWORD_PATH) ? '/dashboard' : next;
}
