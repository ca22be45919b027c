/** Recently opened tasks and projects of this tab; cleared with the session. */
export interface Place {
  kind: 'task' | 'project';
  /** Address with its group. */
  to: string;
  name: string;
  /** Group's id, or '0' for the default one. */
  group: string;
}

const KEY = 'seqpanel.recent';
const MOST = 8;

function stored(storage: Storage): Place[] {
  try {
    return JSON.parse(storage.getItem(KEY) ?? '[]') as Place[];
  } catch {
    return [];
  }
}

export const recentPlaces = (group: string, storage: Storage = window.sessionStorage): Place[] =>
  stored(storage).filter((place) => place.group === group);

/** Newest first, each address once. */
export function rememberPlace(place: Place, storage: Storage = window.sessionStorage): void {
  const others = stored(storage).filter(({ to }) => to !== place.to);
  storage.setItem(KEY, JSON.stringify([place, ...others].slice(0, MOST)));
}
