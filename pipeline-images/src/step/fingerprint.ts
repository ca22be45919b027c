import { canonicalJson } from '@seqpanel/crds/canonical-json.ts';
import { sha256 } from './files.ts';

/** The key of a step's result: same key, same bytes. Names go in only where they are written into a file (DESIGN 5). */
export function fingerprint(
  step: string,
  revision: number,
  tools: Readonly<Record<string, string>>,
  inputs: Readonly<Record<string, unknown>>,
): string {
  return sha256(canonicalJson({ step, revision, tools, inputs }));
}
