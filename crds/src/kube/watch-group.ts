/**
 * The watches of one process. A network or a proxy between that forgets connections forgets them all, so one short watch
 * notices it for the long ones: nine watches make 20 requests a minute instead of 98, of each of which a managed control
 * plane writes an audit record.
 */

import type { KubeObject, Stored } from './objects.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';

/** As long as the API server's interval of bookmarks. */
const LONG_WATCH_SECONDS: [number, number] = [50, 60];

export class WatchGroup {
  readonly #members: { renewWatch(): void }[] = [];

  /** Makes a reflector. The first one keeps short watches; when one of its watches falls silent the others renew theirs. */
  join<T extends KubeObject, S = Stored<T>>(options: ReflectorOptions<T, S>): Reflector<T, S> {
    const isFirst = this.#members.length === 0;
    const reflector = new Reflector<T, S>({
      ...(!isFirst && { watchSeconds: LONG_WATCH_SECONDS }),
      ...options,
      onSilent: () => {
        for (const member of this.#members) if (member !== reflector) member.renewWatch();
        options.onSilent?.();
      },
    });
    this.#members.push(reflector);
    return reflector;
  }
}
