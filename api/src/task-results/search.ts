/** Converts the search text of task results to conditions that an index can serve. Pure. */

const HEX = /^[0-9a-f]{4,32}$/;

/**
 * Returns the range of UUIDs that begin with the typed text, ignoring dashes. Undefined if none can, or the text is too
 * short.
 */
export function uuidRange(typed: string): [from: string, to: string] | undefined {
  const digits = typed.trim().toLowerCase().replaceAll('-', '');
  if (!HEX.test(digits)) return undefined;
  const whole = (filler: string): string =>
    digits.padEnd(32, filler).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return [whole('0'), whole('f')];
}

/** ILIKE pattern for a part of a text. */
export const containing = (typed: string): string => `%${typed.trim().replace(/[\\%_]/g, '\\$&')}%`;
