/** Where to go after the login: `?next=` when it is a path of this site, else the dashboard. */
export function safeNext(next: string | null): string {
  if (!next?.startsWith('/') || next.startsWith('//') || next.includes('\\')) return '/dashboard';
  return next.startsWith('/login') ? '/dashboard' : next;
}
