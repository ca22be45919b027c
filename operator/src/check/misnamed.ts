/** A genome or panel type that somebody applied under another name than the console's for its value. */

import { resourceNameOf } from '@seqpanel/crds/names.ts';
import { CHECK_REASON, type Checked } from './check-kind.ts';

/** Undefined when the name is the one by which the console and other resources find it. */
export function misnamed({ metadata, spec }: Checked): { reason: string; message: string } | undefined {
  const name = resourceNameOf(spec.value);
  if (metadata?.name === name) return undefined;
  const message = `metadata.name must be "${name}", by which "${spec.value}" is found: apply it under that name, delete this one`;
  return { reason: CHECK_REASON.misnamed, message };
}
