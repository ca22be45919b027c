import { isNotFound } from './errors.ts';

/**
 * Awaits a call about an object that may be gone; undefined when it is. Rejects on a conflict, because then the object is
 * there and another client changed it.
 */
export async function ignoreGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
