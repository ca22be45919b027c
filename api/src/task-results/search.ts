/** What is typed into the search of task results, as conditions that an index serves among many rows. Pure. */

const HEX = /^[0-9a-f]{4,32}$/;

/** The UUIDs that begin with what was typed, dashes left out; undefined for what begins none, or is too short to tell. */
export function uuidRange(typed: string): [from: string, to: string] | undefined {
  const digits = typed.trim().toLowerCase().replaceAll('-', '');
  if (!HEX.test(digits)) return undefined;
  const whole = (filler: string): string =>
    digits.padEnd(32, filler).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return [whole('0'), whole('f')];
}

/** Part of a text, for ILIKE. */
export const containing = (typed: string): string => `%${typed.trim().replace(/[\\%_]/g, '\\$&')}%`;
