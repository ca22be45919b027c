import { useSearchParams } from 'react-router-dom';
import type { Session, SessionGroup } from '../session/session.ts';
import { useSession } from './use-session.ts';

/** Group ID when none is given; the api reads it as the caller's default group. */
export const DEFAULT_GROUP = '0';

/** The default group of a session: the marked one, else the first. */
export function defaultGroup(session: Session | undefined): SessionGroup | undefined {
  return session?.groups?.find((group) => group.is_default) ?? session?.groups?.[0];
}

/**
 * The group that the page is about: `?group=` when the user belongs to it, else the default group.
 * `id` is what the calls take; `param` is the query string that keeps the choice in links ('' for the default group).
 */
export function useGroup(): { id: string; group: SessionGroup | undefined; param: string } {
  const [params] = useSearchParams();
  const session = useSession();
  const fallback = defaultGroup(session);
  const asked = params.get('group');
  const group = session?.groups?.find((candidate) => candidate.id === asked) ?? fallback;
  const param = group && group.id !== fallback?.id ? `?group=${group.id}` : '';
  return { id: group?.id ?? DEFAULT_GROUP, group, param };
}
