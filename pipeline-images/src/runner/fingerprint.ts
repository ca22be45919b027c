import { canonicalJson } from '@seqpanel/crds/canonical-json.ts';
import { sha256 } from './files.ts';

/** Returns the fingerprint of a step's result: same fingerprint, same bytes. Includes names only if an output contains them. */
export function fingerprint(
  step: string,
  revision: number,
  tools: Readonly<Record<string, string>>,
  inputs: Readonly<Record<string, unknown>>,
): string {
  return sha256(canonicalJson({ step, revision, tools, inputs }));
}
