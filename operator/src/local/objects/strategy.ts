/** The kind-specific part of a write. */

import type { Obj } from './metadata.ts';
import type { ResourceType } from './resources.ts';
import type { FieldError } from './status.ts';

export interface Strategy {
  /** Applies defaults and prunes in place; returns the paths of unknown fields. */
  prepare(object: Obj, old: Obj | undefined, type: ResourceType): string[];
  validate(object: Obj, old: Obj | undefined, type: ResourceType): FieldError[];
  /** Default of deletes; a Job orphans its pods (batch/v1, for old clients). */
  deletePolicy: 'Background' | 'Orphan';
}
