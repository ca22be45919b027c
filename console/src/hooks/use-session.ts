import { useSyncExternalStore } from 'react';
import { type Session, session } from '../session/session.ts';

/** The session, or undefined when nobody is logged in. */
export function useSession(): Session | undefined {
  return useSyncExternalStore(session.subscribe, session.get);
}
