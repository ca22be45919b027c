/**
 * Version of a configuration row, sent back with a form. It changes when the resource was changed elsewhere or another
 * administrator saved.
 */
import { Conflict } from '../errors.ts';

/** `modified` changes with saves and with changes made elsewhere, but not when the outbox applies a save. */
export const versionOf = ({ modified }: { modified: Date }): string => modified.getTime().toString(36);

/** Rejects a save with both sides: `mine` is the caller's row, `theirs` the current one. */
export const changedElsewhere = (
  version: string,
  mine: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>>,
): Conflict => new Conflict('changed_elsewhere', { version, mine, theirs });
