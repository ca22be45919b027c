/**
 * The watches of one process. A network or proxy that drops connections drops all of them, so one short watch detects it
 * for the long ones (docs/adr/0064). Nine watches make 20 requests a minute instead of 98, and managed control planes
 * write an audit record for each.
 */

import type { KubeObject, Stored } from './objects.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';

/** As long as the API server's interval of bookmarks. */
const LONG_WATCH_SECONDS: [number, number] = [50, 60];

export class WatchGroup {
  readonly #members: { renewWatch(): void }[] = [];

  /** Creates a reflector. The first uses short watches. When one of its watches is silent, the others restart theirs. */
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
