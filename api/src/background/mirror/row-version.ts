/**
 * The version of a row of the configuration, for a form that is sent back: it changes when the resource was changed by
 * somebody else, and when another administrator saved.
 */
import { Conflict } from '../../errors.ts';

/** Saves and changes by others set `modified`; that the outbox has carried a save out does not. */
export const versionOf = ({ modified }: { modified: Date }): string => modified.getTime().toString(36);

/** The refusal, with both sides: `mine` as the caller would have it, `theirs` as it is. */
export const changedElsewhere = (
  version: string,
  mine: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>>,
): Conflict => new Conflict('changed_elsewhere', { version, mine, theirs });
