/** Genomes and panel types whose name does not match the console's name for their value. */

import { resourceNameOf } from '@seqpanel/crds/names.ts';
import { CHECK_REASON, type Checked } from './check-kind.ts';

/** Returns undefined when the name is the one that the console and other resources look up. */
export function misnamed({ metadata, spec }: Checked): { reason: string; message: string } | undefined {
  const name = resourceNameOf(spec.value);
  if (metadata?.name === name) return undefined;
  const message = `metadata.name must be "${name}", the name for value "${spec.value}". Apply it under that name and delete this one.`;
  return { reason: CHECK_REASON.misnamed, message };
}
