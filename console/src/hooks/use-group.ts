import { useSearchParams } from 'react-router-dom';
import type { Session, SessionGroup } from '../session/session.ts';
import { useSession } from './use-session.ts';

/** Group ID when none is given; the api reads it as the caller's default group. */
export const DEFAULT_GROUP = '0';

/** The default group of a session: the marked one, else the first. */
export function defaultGroup(session: Session | undefined): SessionGroup | undefined {
  return session?.groups?.find((group) => group.is_default) ?? session?.groups?.[0];
}

/** The group that a page is about: `?group=` when the user belongs to it, else the default group. */
export function chosenGroup(session: Session | undefined, params: URLSearchParams): SessionGroup | undefined {
  const asked = params.get('group');
  return session?.groups?.find(({ id }) => id === asked) ?? defaultGroup(session);
}

/**
 * Returns the group of the page: `?group=` if the user belongs to it, else the default group. `id` is for calls.
 * `param` is the query string for links, also for the default group, because a colleague who gets the link may have
 * another default. It is '' only while the groups are unknown.
 */
export function useGroup(): { id: string; group: SessionGroup | undefined; param: string } {
  const [params] = useSearchParams();
  const group = chosenGroup(useSession(), params);
  const param = group ? `?group=${group.id}` : '';
  return { id: group?.id ?? DEFAULT_GROUP, group, param };
}
